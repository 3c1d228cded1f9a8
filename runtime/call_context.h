#pragma once

#include <atomic>
#include <cstddef>
#include <type_traits>

#include "gatefold/kernel_table.h"
#include "runtime/executor.h"

namespace gatefold {

/// A running maximum, whichever thread comes last.
template <typename T>
void raise_to(std::atomic<T>& largest, T value) {
  T seen = largest.load(std::memory_order_relaxed);
  while (value > seen && !largest.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

/// What one gf_ffn_run shares with its kernels: the `context` of the hooks.
struct CallContext {
  explicit CallContext(const Executor& executor);

  gf_context head;  ///< first: all that kernels know
  const Executor* executor;
  std::atomic<size_t> bytes{0};  ///< workspace in use
  std::atomic<size_t> peak_bytes{0};
  std::atomic<bool> out_of_memory{false};
  std::atomic<bool> pool_failed{false};  ///< the caller's pool; gf_last_error() says how
  std::atomic<bool> has_message{false};
  char message[256];  ///< the first that a kernel gave
};
static_assert(std::is_standard_layout_v<CallContext> && offsetof(CallContext, head) == 0);

}  // namespace gatefold
