#pragma once

#include <elf.h>

#include <cstdint>
#include <map>
#include <vector>

#include "runtime/elf_reader.h"

namespace gatefold {

/// A shared library as the system's loader sees it: what is loaded where, and what its dynamic
/// section says.
class ElfImage {
 public:
  /// `elf`, whose headers are read, must outlive it.
  explicit ElfImage(const ElfReader& elf);

  /// What the loader would stumble over; null: nothing.
  const char* complaint();

  /// Whether the dynamic section calls it a program.
  bool says_program();

 private:
  const Elf64_Phdr* segment_of(uint64_t address, uint64_t bytes, bool in_file) const;
  bool holds(uint64_t address, uint64_t bytes, uint32_t flags) const;
  bool read(void* to, uint64_t bytes, uint64_t address) const;
  bool has(int64_t tag) const { return dynamic_.count(tag) != 0; }
  uint64_t value(int64_t tag) const;
  bool fits_sections(uint64_t address, uint64_t bytes) const;
  bool loses_relocations() const;
  bool loses_versions() const;

  // Each says what is wrong, and relies on those before it.
  const char* wrong_segments() const;
  const char* wrong_sections() const;
  const char* wrong_dynamic();
  const char* wrong_tables() const;
  const char* wrong_names() const;
  const char* wrong_symbols() const;
  const char* wrong_functions() const;
  const char* wrong_relocations() const;
  const char* wrong_relocation(const Elf64_Rela& entry, bool relative) const;

  const ElfReader& elf_;
  std::vector<Elf64_Phdr> loaded_;
  std::map<int64_t, uint64_t> dynamic_;  ///< by tag; of several the last, as the loader has it
  std::vector<uint64_t> names_;          ///< offsets of the libraries that it needs, and the like
};

}  // namespace gatefold
