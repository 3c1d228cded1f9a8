#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gatefold::test {

/// Writes LLVM's bitstream container (llvm.org/docs/BitCodeFormat.html): blocks of records of
/// numbers, all of them unabbreviated but one blob.
class Bitstream {
 public:
  Bitstream();
  void begin_block(unsigned id);
  void end_block();
  void record(unsigned code, const std::vector<uint64_t>& values);
  void record_text(unsigned code, const std::string& text);
  /// A record of raw bytes, by an abbreviation that is defined before it.
  void blob(unsigned code, const std::string& bytes);
  std::vector<uint8_t> bytes() const { return bytes_; }

 private:
  void fixed(uint64_t value, int bits);
  void variable(uint64_t value, int bits);
  void abbreviation(unsigned id) { fixed(id, width_); }
  void align();

  std::vector<uint8_t> bytes_;
  int used_ = 0;                 ///< bits of the last byte that are taken; 0: all
  int width_ = 2;                ///< of an abbreviation's number in the current block
  std::vector<size_t> lengths_;  ///< where the open blocks' lengths go
};

}  // namespace gatefold::test
