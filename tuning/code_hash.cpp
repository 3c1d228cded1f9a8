#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "tuning/builder.h"

namespace gatefold {
namespace {

/// FNV-1a in two lanes of 64 bits: the files are our own, so accidents are all it must withstand.
class Hash {
 public:
  void add(const char* bytes, size_t size) {
    for (size_t i = 0; i < size; ++i) {
      low_ = (low_ ^ static_cast<unsigned char>(bytes[i])) * 0x100000001b3u;
      high_ = (high_ + static_cast<unsigned char>(bytes[i])) * 0x9e3779b97f4a7c15u;
    }
  }
  std::string text() const {
    char digits[33];
    std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(high_),
                  static_cast<unsigned long long>(low_));
    return digits;
  }

 private:
  uint64_t low_ = 0xcbf29ce484222325u, high_ = 0x84222325cbf29ce4u;
};

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
bool add_sections(const std::string& file, const std::string& text, Hash& hash) {
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
    hash.add(bytes.data(), bytes.size());
    any = true;
  }
  return any;
}

}  // namespace

std::string code_hash(const std::filesystem::path& library, const std::string& text) {
  std::ifstream stream(library, std::ios::binary);
  const std::string file((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  Hash hash;
  if (add_sections(file, text, hash)) return hash.text();
  Hash whole;
  whole.add(file.data(), file.size());
  return whole.text();
}

}  // namespace gatefold
