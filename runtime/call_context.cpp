#include "runtime/call_context.h"

#include <cstdio>

#include "runtime/workspace.h"

namespace gatefold {
namespace {

int hook_par_for(void* context, int (*task)(void*, int, uint8_t*), int min, int count,
                 uint8_t* closure) {
  auto& call = *static_cast<CallContext*>(context);
  const int result = call.executor->par_for(task, context, min, count, closure);
  if (result == kPoolFailed) call.pool_failed.store(true, std::memory_order_relaxed);
  return result;
}

void* hook_allocate(void* context, size_t bytes) {
  auto& call = *static_cast<CallContext*>(context);
  void* memory = workspace_allocate(bytes);
  if (!memory) {
    call.out_of_memory.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  const size_t size = workspace_size(memory);
  const size_t now = call.bytes.fetch_add(size, std::memory_order_relaxed) + size;
  raise_to(call.peak_bytes, now);
  return memory;
}

void hook_release(void* context, void* memory) {
  auto& call = *static_cast<CallContext*>(context);
  call.bytes.fetch_sub(workspace_size(memory), std::memory_order_relaxed);
  workspace_release(memory);
}

void hook_error(void* context, const char* message) {
  auto& call = *static_cast<CallContext*>(context);
  if (call.has_message.exchange(true)) return;
  std::snprintf(call.message, sizeof call.message, "%s", message ? message : "");
}

constexpr gf_hooks kHooks = {hook_par_for, hook_allocate, hook_release, hook_error, nullptr};

}  // namespace

CallContext::CallContext(const Executor& executor) : head{&kHooks}, executor(&executor) {
  message[0] = '\0';
}

}  // namespace gatefold
