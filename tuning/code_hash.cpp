#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "spec/byte_hash.h"
#include "tuning/builder.h"

namespace gatefold {
namespace {

std::string without(std::string bytes, const std::string& text) {
  if (text.empty()) return bytes;
  for (size_t at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at)) {
    bytes.erase(at, text.size());
  }
  return bytes;
}

template <typename T>
bool read_at(const std::string& file, uint64_t offset, T& out) {
  if (offset > file.size() || file.size() - offset < sizeof out) return false;
  std::memcpy(&out, file.data() + offset, sizeof out);
  return true;
}

/// Adds the sections that hold code and constants; false if this is no ELF file, or a broken one.
bool add_sections(const std::string& file, const std::string& text, ByteHash& hash) {
  Elf64_Ehdr header;
  if (!read_at(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  bool any = false;
  for (int i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!read_at(file, header.e_shoff + uint64_t{sizeof section} * i, section)) return false;
    const bool constant = !(section.sh_flags & SHF_WRITE);
    if (section.sh_type != SHT_PROGBITS || !(section.sh_flags & SHF_ALLOC) || !constant) continue;
    if (section.sh_offset > file.size() || section.sh_size > file.size() - section.sh_offset)
      return false;
    const std::string bytes = without(file.substr(section.sh_offset, section.sh_size), text);
    hash.add(bytes);
    any = true;
  }
  return any;
}

}  // namespace

std::string code_hash(const std::filesystem::path& library, const std::string& text) {
  std::ifstream stream(library, std::ios::binary);
  const std::string file((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  ByteHash hash;
  return add_sections(file, text, hash) ? hash.text() : hash_of(file);
}

}  // namespace gatefold
