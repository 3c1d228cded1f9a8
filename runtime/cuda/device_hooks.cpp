#include "runtime/cuda/device_call.h"
#include "runtime/status.h"

namespace gatefold::cuda {
namespace {

// A kernel hands these codes on; what counts is the status that stands in the call.
constexpr int kDone = 0, kFailed = -1;

DeviceCall& call_of(void* context) {
  return *static_cast<DeviceCall*>(static_cast<CallContext*>(context));
}

/// Runs what may fail or throw; kernels are C and let no exception through. The first failure is
/// kept, and nothing more is enqueued after it.
template <typename Body>
int in_call(void* context, Body&& body) {
  DeviceCall& call = call_of(context);
  if (call.status == GF_OK) call.status = guarded([&] { return body(call); });
  return call.status == GF_OK ? kDone : kFailed;
}

gf_status check_sizes(const DeviceInfo& device, const char* entry, const uint32_t* grid,
                      const uint32_t* block) {
  for (int i = 0; i < 3; ++i) {
    if (grid[i] >= 1 && grid[i] <= static_cast<uint32_t>(device.max_grid[i])) continue;
    return failed(GF_KERNEL_FAILED, "entry '%s': grid %u x %u x %u, wanted 1 to %d x %d x %d",
                  entry, grid[0], grid[1], grid[2], device.max_grid[0], device.max_grid[1],
                  device.max_grid[2]);
  }
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) threads = threads > 1024 ? threads : threads * block[i];
  if (threads >= 1 && threads <= static_cast<uint64_t>(device.max_threads)) return GF_OK;
  return failed(GF_KERNEL_FAILED, "entry '%s': %u x %u x %u threads, wanted 1 to %d in all", entry,
                block[0], block[1], block[2], device.max_threads);
}

int hook_launch(void* context, const gf_module* module, const char* entry, const uint32_t grid[3],
                const uint32_t block[3], uint32_t shared_bytes, void** params) {
  return in_call(context, [&](DeviceCall& call) {
    const Driver& driver = call.block.driver();
    Function function = nullptr;
    gf_status status = check_sizes(call.block.device(), entry, grid, block);
    if (status == GF_OK) status = call.block.function(*module, entry, shared_bytes, &function);
    if (status != GF_OK) return status;
    const Result result = driver.launch(function, grid[0], grid[1], grid[2], block[0], block[1],
                                        block[2], shared_bytes, call.stream, params, nullptr);
    if (result == kSuccess) return GF_OK;
    return failed(GF_DEVICE_FAILED, "%s: entry '%s', grid %u x %u x %u: %s", driver.launch.name,
                  entry, grid[0], grid[1], grid[2], ErrorText(driver, result).text);
  });
}

int hook_allocate(void* context, size_t bytes, uint64_t* address) {
  *address = 0;
  return in_call(context,
                 [&](DeviceCall& call) { return call.workspace.allocate(bytes, address); });
}

void hook_release(void* context, uint64_t address) { call_of(context).workspace.release(address); }

int hook_zero(void* context, uint64_t address, size_t bytes) {
  return in_call(context, [&](DeviceCall& call) {
    const unsigned char zero = 0;
    return bytes == 0 ? GF_OK
                      : checked(call.block.driver().set_bytes, address, zero, bytes, call.stream);
  });
}

constexpr gf_device_hooks kDeviceHooks = {hook_launch, hook_allocate, hook_release, hook_zero};

}  // namespace

DeviceCall::DeviceCall(const Executor& executor, Block& block, Workspace& workspace, Stream stream)
    : CallContext(executor), block(block), workspace(workspace), stream(stream) {
  hooks = *head.hooks;
  hooks.device = &kDeviceHooks;
  head.hooks = &hooks;
}

}  // namespace gatefold::cuda
