#include "runtime/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "runtime/status.h"

namespace gatefold {
namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#endif

class File {
 public:
  // Not blocking: a FIFO of that name must not hang the caller.
  explicit File(const char* path) : fd_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool is_open() const { return fd_ >= 0; }
  int64_t regular_size() const {
    struct stat s;
    return fstat(fd_, &s) == 0 && S_ISREG(s.st_mode) ? s.st_size : -1;
  }
  bool read(void* to, size_t bytes, int64_t offset) const {
    return pread(fd_, to, bytes, offset) == static_cast<ssize_t>(bytes);
  }

 private:
  int fd_;
};

bool inside(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

gf_status bad(const char* path, const char* what) {
  return failed(GF_BAD_LIBRARY, "%s: %s", path, what);
}

gf_status check_header(const char* path, const Elf64_Ehdr& header, uint64_t size) {
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return bad(path, "not an ELF file");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_machine != kMachine) {
    return failed(GF_BAD_LIBRARY, "%s: ELF machine %d, wanted %d (this machine's)", path,
                  header.e_machine, kMachine);
  }
  if (header.e_type != ET_DYN) return bad(path, "not a shared library");
  if (header.e_phnum == 0 || header.e_phentsize != sizeof(Elf64_Phdr) ||
      !inside(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr), size))
    return bad(path, "truncated: its program headers are past the end of the file");
  if (header.e_shoff != 0 &&
      !inside(header.e_shoff, uint64_t{header.e_shnum} * header.e_shentsize, size))
    return bad(path, "truncated: its section headers are past the end of the file");
  return GF_OK;
}

gf_status check_segments(const char* path, const File& file, const Elf64_Ehdr& header,
                         uint64_t size) {
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  if (!file.read(segments.data(), segments.size() * sizeof(Elf64_Phdr),
                 static_cast<int64_t>(header.e_phoff)))
    return bad(path, "its program headers cannot be read");
  for (const Elf64_Phdr& s : segments) {
    if (inside(s.p_offset, s.p_filesz, size)) continue;
    return failed(GF_BAD_LIBRARY, "%s: truncated: a segment ends at %llu, the file at %llu", path,
                  static_cast<unsigned long long>(s.p_offset + s.p_filesz),
                  static_cast<unsigned long long>(size));
  }
  return GF_OK;
}

}  // namespace

gf_status check_elf_file(const char* path) {
  const File file(path);
  if (!file.is_open()) return bad(path, std::strerror(errno));
  const int64_t size = file.regular_size();
  if (size < 0) return bad(path, "not a regular file");
  Elf64_Ehdr header;
  if (!file.read(&header, sizeof header, 0)) return bad(path, "too short for an ELF file");
  const gf_status status = check_header(path, header, static_cast<uint64_t>(size));
  return status == GF_OK ? check_segments(path, file, header, static_cast<uint64_t>(size)) : status;
}

}  // namespace gatefold
