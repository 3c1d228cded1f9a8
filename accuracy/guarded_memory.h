#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "spec/error.h"

namespace gatefold {

/// Memory between two pages that nothing may touch, at the end or at the begin of what lies between
/// them: one byte too far ends the process.
class GuardedMemory {
 public:
  enum class At { begin, end };

  GuardedMemory(size_t bytes, At at) : inside_((bytes + page() - 1) / page() * page()) {
    void* all = mmap(nullptr, inside_ + 2 * page(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) fail("no memory for a guarded piece");
    all_ = static_cast<uint8_t*>(all);
    mprotect(all_ + page(), inside_, PROT_READ | PROT_WRITE);
    data_ = all_ + page() + (at == At::end ? inside_ - bytes : 0);
  }
  ~GuardedMemory() { munmap(all_, inside_ + 2 * page()); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  uint8_t* data() const { return data_; }
  /// From here on a write ends the process too.
  void make_read_only() { mprotect(all_ + page(), inside_, PROT_READ); }

 private:
  /// Not 4096 everywhere: arm64 machines may have 16 or 64 KiB.
  static size_t page() {
    static const auto size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    return size;
  }

  size_t inside_;
  uint8_t* all_ = nullptr;
  uint8_t* data_ = nullptr;
};

}  // namespace gatefold
