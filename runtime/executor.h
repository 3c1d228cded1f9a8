#pragma once

#include "gatefold/gatefold.h"
#include "runtime/loop.h"

namespace gatefold {

/// Where the parallel loops of a block run: on the runtime's pool or on the caller's.
struct Executor {
  int threads = 1;
  gf_parallel_for parallel_for = nullptr;  ///< the caller's pool
  void* parallel_for_context = nullptr;

  /// Returns the first non-zero result of a task, or 0; or kPoolFailed if the caller's pool did not
  /// keep its contract: then gf_last_error() says how.
  int par_for(Loop::Task task, void* context, int min, int count, uint8_t* closure) const;
};

/// No result of a kernel's task: those are Halide's small negative numbers.
inline constexpr int kPoolFailed = -1000000;

}  // namespace gatefold
