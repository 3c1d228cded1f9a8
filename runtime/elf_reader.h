#pragma once

#include <elf.h>

#include <cstdint>
#include <vector>

#include "gatefold/gatefold.h"

namespace gatefold {

/// Whether a range lies inside `size` bytes, whatever is said of it.
inline bool is_inside(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

/// An ELF file of 64 bits: its headers, and any other part of it.
class ElfReader {
 public:
  explicit ElfReader(const char* path);
  ~ElfReader();
  ElfReader(const ElfReader&) = delete;
  ElfReader& operator=(const ElfReader&) = delete;

  /// Reads the headers: the file must be made for `machine` (EM_NONE: for one that gatefold knows)
  /// and hold all that they say of it.
  gf_status read_headers(int machine);

  const Elf64_Ehdr& header() const { return header_; }
  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  bool read(void* to, uint64_t bytes, uint64_t offset) const;

  /// GF_BAD_LIBRARY with the file's name.
  gf_status bad(const char* what) const;

 private:
  gf_status check_machine(int machine) const;
  gf_status read_segments();
  gf_status read_sections();

  const char* path_;
  int fd_;
  uint64_t size_ = 0;
  Elf64_Ehdr header_ = {};
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace gatefold
