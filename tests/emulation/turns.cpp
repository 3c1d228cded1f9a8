#include "tests/emulation/turns.h"

#include <sched.h>
#include <time.h>

#include <atomic>

namespace gatefold::emulation {
namespace {

// Long enough that a hand-over (two signals' worth of work) does not show, short enough that a
// thread which only spins does not cost a millisecond.
constexpr int kSlice = 100000;

// A ticket lock: a signal handler may not use a mutex.
std::atomic<unsigned> next_ticket, serving;
int left;  // of the slice; only the turn's owner counts

void wait_a_little(int tried) {
  if (tried < 50) {
    sched_yield();
  } else {
    const timespec pause{0, 50000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

void take_turn() {
  const unsigned mine = next_ticket++;
  for (int tried = 0; serving != mine; ++tried) wait_a_little(tried);
  left = kSlice;
}

void give_turn() { ++serving; }

bool turn_is_over() {
  if (--left > 0) return false;
  left = kSlice;
  return next_ticket.load(std::memory_order_relaxed) - serving.load(std::memory_order_relaxed) > 1;
}

}  // namespace gatefold::emulation
