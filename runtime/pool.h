#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "runtime/loop.h"
#include "runtime/threads.h"

namespace gatefold {

/// The process's one thread pool. Any number of threads may call par_for at once; each takes part
/// in its own loop and gets the workers that are idle. A loop started from inside a loop runs on
/// its own thread, so stacks stay bounded and nothing waits for itself.
class Pool {
 public:
  using Task = Loop::Task;

  static Pool& process();

  /// Calls task for min <= index < min + count on up to `threads` threads. After a failure the
  /// indices not yet begun are left out. Returns the first non-zero result, or 0.
  int par_for(int threads, Task task, void* context, int min, int count, uint8_t* closure);

  int workers() const { return workers_.load(std::memory_order_acquire); }

  constexpr Pool() = default;

 private:
  /// One running loop. Slots are never freed, so a late worker can always look at one; it may use
  /// the loop only after it has taken a ticket.
  struct alignas(128) Slot {
    std::atomic<uint32_t> state{0};  ///< users, tickets and whether the caller sleeps
    Loop* loop = nullptr;            ///< its caller's
  };

  static constexpr int kSlots = 64;

  Slot* take_slot();
  void open(Slot& slot, int helpers);
  void finish(Slot& slot);
  void return_slot(Slot& slot);
  void grow(int wanted);
  bool start_worker();
  bool help_once();
  void work();
  void stop();
  static void* worker_main(void* pool);
  static void before_fork();
  static void after_fork_parent();
  static void after_fork_child();
  [[gnu::constructor]] static void at_load();
  [[gnu::destructor]] static void at_unload();

  std::atomic<uint64_t> taken_{0};  ///< bit i: slots_[i] belongs to a caller
  Slot slots_[kSlots];
  alignas(128) std::atomic<uint32_t> epoch_{0};  ///< raised with every loop; workers sleep on it
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<int> workers_{0};
  std::atomic<int> limit_{kMaxThreads - 1};  ///< lowered when the system refuses a thread
  std::atomic<bool> stopping_{false};
  pthread_mutex_t grow_mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_t threads_[kMaxThreads] = {};
};

}  // namespace gatefold
