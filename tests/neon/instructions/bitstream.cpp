#include "tests/neon/instructions/bitstream.h"

namespace gatefold::test {
namespace {

constexpr int kOuterWidth = 2, kBlockWidth = 4;
constexpr unsigned kEndBlock = 0, kEnterBlock = 1, kDefine = 2, kUnabbreviated = 3, kFirstOwn = 4;

}  // namespace

Bitstream::Bitstream() {
  for (const uint8_t magic : {0x42, 0x43, 0xc0, 0xde}) fixed(magic, 8);
}

void Bitstream::fixed(uint64_t value, int bits) {
  for (int i = 0; i < bits; ++i) {
    if (used_ == 0) bytes_.push_back(0);
    bytes_.back() |= static_cast<uint8_t>((value >> i & 1) << used_);
    used_ = (used_ + 1) % 8;
  }
}

/// Groups of `bits`, whose highest bit says that another follows.
void Bitstream::variable(uint64_t value, int bits) {
  const uint64_t more = uint64_t{1} << (bits - 1);
  for (; value >= more; value >>= bits - 1) fixed((value & (more - 1)) | more, bits);
  fixed(value, bits);
}

void Bitstream::align() {
  used_ = 0;
  bytes_.resize((bytes_.size() + 3) / 4 * 4);
}

void Bitstream::begin_block(unsigned id) {
  abbreviation(kEnterBlock);
  variable(id, 8);
  variable(kBlockWidth, 4);
  align();
  lengths_.push_back(bytes_.size());
  bytes_.resize(bytes_.size() + 4);
  width_ = kBlockWidth;
}

void Bitstream::end_block() {
  abbreviation(kEndBlock);
  align();
  const size_t at = lengths_.back();
  const uint64_t words = (bytes_.size() - at) / 4 - 1;
  for (size_t i = 0; i < 4; ++i) bytes_[at + i] = static_cast<uint8_t>(words >> 8 * i);
  lengths_.pop_back();
  width_ = lengths_.empty() ? kOuterWidth : kBlockWidth;
}

void Bitstream::record(unsigned code, const std::vector<uint64_t>& values) {
  abbreviation(kUnabbreviated);
  variable(code, 6);
  variable(values.size(), 6);
  for (const uint64_t value : values) variable(value, 6);
}

void Bitstream::record_text(unsigned code, const std::string& text) {
  record(code, std::vector<uint64_t>(text.begin(), text.end()));
}

void Bitstream::blob(unsigned code, const std::string& bytes) {
  constexpr unsigned kBlobEncoding = 5;
  abbreviation(kDefine);
  variable(2, 5);  // operands
  fixed(1, 1);     // a literal
  variable(code, 8);
  fixed(0, 1);  // an encoding
  fixed(kBlobEncoding, 3);
  abbreviation(kFirstOwn);
  variable(bytes.size(), 6);
  align();
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  align();
}

}  // namespace gatefold::test
