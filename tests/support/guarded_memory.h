#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>

namespace gatefold::test {

/// Memory between two pages that nothing may touch, at the end or at the begin of what lies between
/// them: one byte too far ends the test's process.
class GuardedMemory {
 public:
  enum class At { begin, end };

  GuardedMemory(size_t bytes, At at) : inside_((bytes + kPage - 1) / kPage * kPage) {
    void* all = mmap(nullptr, inside_ + 2 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::runtime_error("no memory for a guarded piece");
    all_ = static_cast<uint8_t*>(all);
    mprotect(all_ + kPage, inside_, PROT_READ | PROT_WRITE);
    data_ = all_ + kPage + (at == At::end ? inside_ - bytes : 0);
  }
  ~GuardedMemory() { munmap(all_, inside_ + 2 * kPage); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  uint8_t* data() const { return data_; }

 private:
  static constexpr size_t kPage = 4096;
  size_t inside_;
  uint8_t* all_ = nullptr;
  uint8_t* data_ = nullptr;
};

}  // namespace gatefold::test
