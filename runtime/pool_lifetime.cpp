// Birth, fork and end of the pool's workers.
#include <signal.h>

#include <algorithm>

#include "runtime/futex.h"
#include "runtime/pool.h"
#include "runtime/workspace.h"

namespace gatefold {
namespace {

// Kernels keep at most 16 KiB per allocation on the stack.
constexpr size_t kWorkerStack = size_t{1} << 20;

/// The application's signals are not for workers. What a worker's own instruction causes is:
/// blocked, it would end the process past the application's handler.
sigset_t worker_signal_mask() {
  sigset_t mask;
  sigfillset(&mask);
  for (int own : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS}) sigdelset(&mask, own);
  return mask;
}

}  // namespace

void Pool::grow(int wanted) {
  if (workers() >= std::min(wanted, limit_.load(std::memory_order_relaxed))) return;
  pthread_mutex_lock(&grow_mutex_);
  while (workers() < std::min(wanted, limit_.load(std::memory_order_relaxed)) &&
         !stopping_.load(std::memory_order_acquire)) {
    if (!start_worker()) limit_.store(workers(), std::memory_order_relaxed);
  }
  pthread_mutex_unlock(&grow_mutex_);
}

bool Pool::start_worker() {
  const sigset_t mask = worker_signal_mask();
  sigset_t before;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, kWorkerStack);
  pthread_sigmask(SIG_SETMASK, &mask, &before);
  pthread_t& thread = threads_[workers()];
  const int error = pthread_create(&thread, &attributes, worker_main, this);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  if (error != 0) return false;
  pthread_setname_np(thread, "gatefold");
  workers_.fetch_add(1, std::memory_order_release);
  return true;
}

/// At load, not with the first worker: the workspace's lock is taken on one thread too.
void Pool::at_load() { pthread_atfork(before_fork, after_fork_parent, after_fork_child); }

void Pool::before_fork() {
  pthread_mutex_lock(&process().grow_mutex_);
  lock_workspace();
}

void Pool::after_fork_parent() {
  unlock_workspace();
  pthread_mutex_unlock(&process().grow_mutex_);
}

/// The child has only the thread that forked: no workers, and no loop of another thread.
void Pool::after_fork_child() {
  Pool& pool = process();
  unlock_workspace();
  pool.workers_.store(0);
  pool.sleepers_.store(0);
  pool.limit_.store(kMaxThreads - 1);
  for (Slot& slot : pool.slots_) slot.state.store(0);
  pool.taken_.store(0);
  pthread_mutex_unlock(&pool.grow_mutex_);
}

/// Joins the workers, so that a plug-in that holds this runtime can be unloaded.
void Pool::stop() {
  pthread_mutex_lock(&grow_mutex_);
  stopping_.store(true, std::memory_order_release);
  epoch_.fetch_add(1);
  futex_wake(epoch_, kMaxThreads);
  for (int i = 0; i < workers(); ++i) pthread_join(threads_[i], nullptr);
  workers_.store(0, std::memory_order_release);
  pthread_mutex_unlock(&grow_mutex_);
}

void Pool::at_unload() { process().stop(); }

}  // namespace gatefold
