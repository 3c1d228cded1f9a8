#include "bench/shared_bytes.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "spec/error.h"

namespace gatefold {

SharedBytes::SharedBytes(size_t bytes) : bytes_(std::max<size_t>(1, bytes)) {
  fd_ = memfd_create("gatefold-peers", MFD_CLOEXEC);
  void* mapped = MAP_FAILED;
  if (fd_ >= 0 && ftruncate(fd_, static_cast<off_t>(bytes_)) == 0) {
    mapped = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  }
  const int error = errno;
  if (mapped == MAP_FAILED) {
    if (fd_ >= 0) close(fd_);
    fail("cannot share " + std::to_string(bytes_) + " bytes with peers: " + std::strerror(error));
  }
  data_ = static_cast<uint8_t*>(mapped);
}

SharedBytes::~SharedBytes() {
  munmap(data_, bytes_);
  close(fd_);
}

std::string SharedBytes::path() const {
  return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(fd_);
}

}  // namespace gatefold
