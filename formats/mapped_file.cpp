#include "formats/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "spec/error.h"

namespace gatefold {
namespace {

/// Closes on every way out of open(); a mapping outlives its descriptor.
class Descriptor {
 public:
  explicit Descriptor(const std::filesystem::path& path)
      // O_NONBLOCK: opening a FIFO without a writer would otherwise wait for ever.
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail_errno(const std::filesystem::path& path, const char* what) {
  fail(path.string() + ": cannot " + what + ": " + std::generic_category().message(errno));
}

size_t regular_size(const std::filesystem::path& path, int fd) {
  struct stat status;
  if (::fstat(fd, &status) != 0) fail_errno(path, "stat");
  if (S_ISDIR(status.st_mode)) fail(path.string() + ": is a folder, wanted a regular file");
  if (!S_ISREG(status.st_mode)) {
    fail(path.string() + ": is a device, pipe or socket, wanted a regular file");
  }
  if (status.st_size == 0) fail(path.string() + ": the file is empty");
  return static_cast<size_t>(status.st_size);
}

}  // namespace

MappedFile MappedFile::open(const std::filesystem::path& path) {
  const Descriptor file(path);
  if (file.get() < 0) fail_errno(path, "open");
  const size_t size = regular_size(path, file.get());
  void* start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) fail_errno(path, "map");
  return MappedFile({static_cast<const std::byte*>(start), size});
}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace gatefold
