#pragma once

#include <atomic>
#include <cstdint>

namespace gatefold {

/// One parallel loop, on its caller's stack. Each thread that takes part begins with a share of
/// its own, neighbouring indices, and then helps with the others' index by index: a thread that is
/// slow or never comes holds back the one index that it is in, and while all are on their own
/// shares they write no line of memory in common.
class Loop {
 public:
  using Task = int (*)(void* context, int index, uint8_t* closure);

  /// min <= index < min + count; `members` threads may come.
  Loop(Task task, void* context, int min, int count, uint8_t* closure, int members);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// What one thread does: returns when no index is left to begin. `member` says which share is its
  /// own; any number will do.
  void take_part(int member);

  /// The first non-zero result of a task; 0 if there was none.
  int result() const { return result_.load(std::memory_order_relaxed); }

  /// Whether this thread is in a task of a loop.
  static bool inside();

 private:
  // Beyond this many threads several share a counter, which they then meet at seldom.
  static constexpr int kMaxShares = 64;

#if defined(__aarch64__)
  static constexpr int kLine = 128;  // of caches on Apple's cores; elsewhere 64
#else
  static constexpr int kLine = 64;
#endif

  // Plain numbers, used through atomic_ref: an array of atomics would be cleared for every loop.
  struct alignas(kLine) Share {
    int64_t next;
    int64_t end;
  };

  void run_share(Share& share);

  const Task task_;
  void* const context_;
  uint8_t* const closure_;
  const int shares_;
  std::atomic<int> result_{0};
  Share share_[kMaxShares];
};

/// In order on this thread; stops at the first failure.
int run_inline(Loop::Task task, void* context, int min, int count, uint8_t* closure);

}  // namespace gatefold
