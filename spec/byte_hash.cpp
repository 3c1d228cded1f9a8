#include "spec/byte_hash.h"

namespace gatefold {
namespace {

void append_hexadecimal(std::string& text, uint64_t value) {
  for (int shift = 60; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
}

}  // namespace

void ByteHash::add(std::string_view bytes) {
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    low_ = (low_ ^ byte) * 0x100000001b3u;
    high_ = (high_ + byte) * 0x9e3779b97f4a7c15u;
  }
}

std::string ByteHash::text() const {
  std::string digits;
  append_hexadecimal(digits, high_);
  append_hexadecimal(digits, low_);
  return digits;
}

std::string hash_of(std::string_view bytes) {
  ByteHash hash;
  hash.add(bytes);
  return hash.text();
}

}  // namespace gatefold
