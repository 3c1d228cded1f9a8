#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace gatefold {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

/// Sleeps while `word` holds `expected`; may return early.
inline void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

inline void futex_wake(std::atomic<uint32_t>& word, int threads) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

inline void pause_core() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  // `yield` does nothing on a core without threads of its own; this waits for some tens of cycles.
  __asm__ volatile("isb" ::: "memory");
#endif
}

inline int64_t now_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

/// Longer than the gap between two parallel loops of one block, shorter than a wake-up is worth.
inline constexpr int64_t kSpinNs = 50000;

/// Spins until `done()`, at most kSpinNs. Bounded by time: the length of a pause differs by a
/// factor of ten between CPUs.
template <typename Done>
bool spin_until(Done&& done) {
  const int64_t end = now_ns() + kSpinNs;
  do {
    for (int i = 0; i < 16; ++i) {
      if (done()) return true;
      pause_core();
    }
  } while (now_ns() < end);
  return done();
}

}  // namespace gatefold
