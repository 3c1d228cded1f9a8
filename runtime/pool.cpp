#include "runtime/pool.h"

#include <algorithm>
#include <bit>

#include "runtime/fp_environment.h"
#include "runtime/futex.h"

namespace gatefold {
namespace {

// Slot::state
constexpr uint32_t kUser = 1;
constexpr uint32_t kUsers = 0x7fff;
constexpr uint32_t kTicket = 0x10000;
constexpr uint32_t kTickets = 0x7fff0000;
constexpr uint32_t kCallerSleeps = 0x80000000;

constinit Pool g_pool;

}  // namespace

Pool& Pool::process() { return g_pool; }

int Pool::par_for(int threads, Task task, void* context, int min, int count, uint8_t* closure) {
  threads = std::min({threads, count, kMaxThreads});
  if (threads > 1 && !Loop::inside() && workers() < threads - 1) grow(threads - 1);
  Slot* slot = threads > 1 && !Loop::inside() && workers() > 0 ? take_slot() : nullptr;
  if (!slot) return run_inline(task, context, min, count, closure);
  Loop loop(task, context, min, count, closure, threads);
  slot->loop = &loop;
  open(*slot, threads - 1);
  loop.take_part(0);
  finish(*slot);
  return_slot(*slot);
  return loop.result();
}

Pool::Slot* Pool::take_slot() {
  uint64_t taken = taken_.load(std::memory_order_relaxed);
  while (~taken) {
    const int free = std::countr_one(taken);
    if (taken_.compare_exchange_weak(taken, taken | uint64_t{1} << free, std::memory_order_acquire,
                                     std::memory_order_relaxed))
      return &slots_[free];
  }
  return nullptr;
}

void Pool::return_slot(Slot& slot) {
  const auto index = static_cast<uint64_t>(&slot - slots_);
  taken_.fetch_and(~(uint64_t{1} << index), std::memory_order_release);
}

void Pool::open(Slot& slot, int helpers) {
  slot.state.store(static_cast<uint32_t>(helpers) * kTicket, std::memory_order_release);
  // seq_cst on both sides: either this sees the sleeper, or the sleeper sees the new epoch.
  epoch_.fetch_add(1);
  if (sleepers_.load() > 0) futex_wake(epoch_, helpers);
}

/// Takes the tickets back and waits for the workers inside.
void Pool::finish(Slot& slot) {
  slot.state.fetch_and(kUsers, std::memory_order_acq_rel);
  const auto alone = [&] { return (slot.state.load(std::memory_order_acquire) & kUsers) == 0; };
  while (!spin_until(alone)) {
    const uint32_t state = slot.state.fetch_or(kCallerSleeps, std::memory_order_acq_rel);
    if ((state & kUsers) == 0) return;
    futex_wait(slot.state, state | kCallerSleeps);
  }
}

/// Joins one open loop; false if none wants help.
bool Pool::help_once() {
  for (uint64_t taken = taken_.load(std::memory_order_acquire); taken; taken &= taken - 1) {
    Slot& slot = slots_[std::countr_zero(taken)];
    uint32_t state = slot.state.load(std::memory_order_relaxed);
    while (state & kTickets) {
      if (!slot.state.compare_exchange_weak(state, state - kTicket + kUser,
                                            std::memory_order_acquire, std::memory_order_relaxed))
        continue;
      // Tickets go down from threads - 1 to 1: each worker has a share of its own.
      slot.loop->take_part(static_cast<int>((state & kTickets) / kTicket));
      const uint32_t before = slot.state.fetch_sub(kUser, std::memory_order_acq_rel);
      if ((before & kUsers) == kUser && (before & kCallerSleeps)) futex_wake(slot.state, 1);
      return true;
    }
  }
  return false;
}

void Pool::work() {
  for (;;) {
    // The epoch first: what is posted after it, work or the end, changes it.
    const uint32_t seen = epoch_.load();
    if (stopping_.load(std::memory_order_acquire)) return;
    if (help_once()) continue;
    if (spin_until([&] { return epoch_.load(std::memory_order_relaxed) != seen; })) continue;
    sleepers_.fetch_add(1);
    futex_wait(epoch_, seen);
    sleepers_.fetch_sub(1);
  }
}

void* Pool::worker_main(void* pool) {
  set_own_affinity(process_cpus());  // not the mask of the thread that happened to call first
  write_fp_word(kStandardFpWord);
  static_cast<Pool*>(pool)->work();
  return nullptr;
}

}  // namespace gatefold
