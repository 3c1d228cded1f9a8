#include "tests/emulation/core_loop.h"

#include <pthread.h>
#include <setjmp.h>

#include <atomic>

#include "tests/emulation/core.h"

namespace gatefold::emulation {
namespace {

jmp_buf return_point;
Exit last_exit;
pthread_t owner;
std::atomic<bool> inside;

}  // namespace

// The core has no way to stop in the middle of an instruction but to jump out of it.
__attribute__((noinline)) Exit run_core() {
  owner = pthread_self();
  if (_setjmp(return_point) == 0) {
    inside = true;
    for (;;) core.loop(0);
  }
  inside = false;
  return last_exit;
}

void leave_core(Exit why) {
  last_exit = why;
  _longjmp(return_point, 1);
}

bool this_thread_is_in_core() { return inside && pthread_equal(owner, pthread_self()) != 0; }

void abandon_core() { inside = false; }

}  // namespace gatefold::emulation
