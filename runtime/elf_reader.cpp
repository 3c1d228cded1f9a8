#include "runtime/elf_reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "runtime/status.h"

namespace gatefold {
namespace {

std::string machine_name(int machine) {
  if (machine == EM_NONE) return "x86_64 or arm64";
  if (machine == EM_X86_64) return "x86_64";
  if (machine == EM_AARCH64) return "arm64";
  return "ELF machine " + std::to_string(machine);
}

bool is_one_of(int found, int wanted) {
  return wanted == EM_NONE ? found == EM_X86_64 || found == EM_AARCH64 : found == wanted;
}

}  // namespace

// Not blocking: a FIFO of that name must not hang the caller.
ElfReader::ElfReader(const char* path)
    : path_(path), fd_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}

ElfReader::~ElfReader() {
  if (fd_ >= 0) close(fd_);
}

bool ElfReader::read(void* to, uint64_t bytes, uint64_t offset) const {
  if (!is_inside(offset, bytes, size_)) return false;
  return bytes == 0 ||
         pread(fd_, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

gf_status ElfReader::bad(const char* what) const {
  return failed(GF_BAD_LIBRARY, "%s: %s", path_, what);
}

gf_status ElfReader::read_headers(int machine) {
  if (fd_ < 0) return bad(std::strerror(errno));
  struct stat s;
  if (fstat(fd_, &s) != 0 || !S_ISREG(s.st_mode)) return bad("not a regular file");
  size_ = static_cast<uint64_t>(s.st_size);
  if (!read(&header_, sizeof header_, 0)) return bad("too short for an ELF file");
  gf_status status = check_machine(machine);
  if (status == GF_OK) status = read_segments();
  return status == GF_OK ? read_sections() : status;
}

gf_status ElfReader::check_machine(int machine) const {
  if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) return bad("not an ELF file");
  if (header_.e_ident[EI_CLASS] == ELFCLASS64 && header_.e_ident[EI_DATA] == ELFDATA2LSB &&
      is_one_of(header_.e_machine, machine))
    return GF_OK;
  return failed(GF_BAD_LIBRARY, "%s: made for %s, wanted %s", path_,
                machine_name(header_.e_machine).c_str(), machine_name(machine).c_str());
}

gf_status ElfReader::read_segments() {
  segments_.resize(header_.e_phnum);
  if (segments_.empty() || header_.e_phentsize != sizeof(Elf64_Phdr) ||
      !read(segments_.data(), segments_.size() * sizeof(Elf64_Phdr), header_.e_phoff))
    return bad("truncated: its program headers are past the end of the file");
  for (const Elf64_Phdr& s : segments_) {
    if (is_inside(s.p_offset, s.p_filesz, size_)) continue;
    return failed(GF_BAD_LIBRARY, "%s: truncated: a segment ends at %llu, the file at %llu", path_,
                  static_cast<unsigned long long>(s.p_offset + s.p_filesz),
                  static_cast<unsigned long long>(size_));
  }
  return GF_OK;
}

/// A file without them is whole: nothing that loads a program reads them.
gf_status ElfReader::read_sections() {
  if (header_.e_shoff == 0 || header_.e_shnum == 0) return GF_OK;
  sections_.resize(header_.e_shnum);
  if (header_.e_shentsize == sizeof(Elf64_Shdr) &&
      read(sections_.data(), sections_.size() * sizeof(Elf64_Shdr), header_.e_shoff))
    return GF_OK;
  return bad("truncated: its section headers are past the end of the file");
}

}  // namespace gatefold
