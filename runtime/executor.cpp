#include "runtime/executor.h"

#include <algorithm>

#include "runtime/fp_environment.h"
#include "runtime/pool.h"
#include "runtime/status.h"

namespace gatefold {
namespace {

/// What the caller's pool is given: each of its tasks takes part in the loop like a thread of ours,
/// so that indices are shared out as they are done, however the pool shares out its tasks.
struct HookedLoop {
  Loop loop;
  std::atomic<int> calls{0};
};

void take_part(void* task_context, int index) {
  auto& hooked = *static_cast<HookedLoop*>(task_context);
  const StandardFpEnvironment standard;  // the thread is the caller's
  hooked.calls.fetch_add(1, std::memory_order_relaxed);
  hooked.loop.take_part(index);
}

}  // namespace

int Executor::par_for(Loop::Task task, void* context, int min, int count, uint8_t* closure) const {
  if (!parallel_for) return Pool::process().par_for(threads, task, context, min, count, closure);
  const int members = std::min(threads, count);
  if (members <= 1 || Loop::inside()) return run_inline(task, context, min, count, closure);
  HookedLoop hooked{{task, context, min, count, closure, members}};
  const int code = parallel_for(parallel_for_context, members, take_part, &hooked);
  const int calls = hooked.calls.load(std::memory_order_relaxed);
  if (code != 0) {
    failed(GF_PARALLEL_FOR_FAILED, "parallel_for: returned %d, wanted 0", code);
    return kPoolFailed;
  }
  if (calls != members) {
    failed(GF_PARALLEL_FOR_FAILED, "parallel_for: called %d tasks, wanted each of %d once", calls,
           members);
    return kPoolFailed;
  }
  return hooked.loop.result();
}

}  // namespace gatefold
