#include "runtime/cuda/block.h"

#include <algorithm>

#include "runtime/cuda/current_context.h"
#include "runtime/status.h"

namespace gatefold::cuda {
namespace {

/// Beyond these a stream takes over another one's workspace, and waits for the device once.
constexpr size_t kMaxWorkspaces = 16;

/// What tells streams apart. The first two names are of one stream, the third is of one for each
/// thread, for which the address of a variable of that thread stands.
uintptr_t user_of(Stream stream) {
  constexpr uintptr_t kLegacy = 1, kPerThread = 2;
  static thread_local char of_thread;
  const auto handle = reinterpret_cast<uintptr_t>(stream);
  if (handle == kPerThread) return reinterpret_cast<uintptr_t>(&of_thread);
  return handle == kLegacy ? 0 : handle;
}

}  // namespace

gf_status Block::make(const DeviceInfo& device, const void* packed, int64_t bytes,
                      std::unique_ptr<Block>* out) {
  const Driver* api = cuda::driver();
  if (!api) return failed(GF_UNAVAILABLE, "%s", driver_failure());
  std::unique_ptr<Block> block(new Block(*api, device));
  const gf_status status = checked(api->primary_context_retain, &block->context_, device.handle);
  if (status != GF_OK) {
    block->context_ = nullptr;
    return status;
  }
  const gf_status uploaded = block->upload(packed, bytes);
  if (uploaded == GF_OK) *out = std::move(block);
  return uploaded;
}

/// On a stream of its own, so that no work of the caller's is waited for.
gf_status Block::upload(const void* packed, int64_t bytes) {
  const CurrentContext current(driver_, context_);
  if (current.status() != GF_OK) return current.status();
  const auto size = static_cast<size_t>(bytes);
  gf_status status = checked(driver_.memory_allocate, &weights_, size);
  if (status != GF_OK) return status;
  Lease lease(*this);
  status = lease.take_with_stream();
  if (status != GF_OK) return status;
  status = checked(driver_.copy_to_device, weights_, packed, size, lease->stream());
  if (status == GF_OK) status = checked(driver_.stream_synchronize, lease->stream());
  if (status != GF_OK) driver_.stream_synchronize(lease->stream());
  lease.set_done();
  return status;
}

Block::~Block() {
  if (!context_) return;
  {
    const CurrentContext current(driver_, context_);
    if (left_work_) driver_.context_synchronize();
    workspaces_.clear();
    for (Module* module : modules_) Module::release(module);
    if (weights_) driver_.memory_free(weights_);
  }
  driver_.primary_context_release(device_.handle);
}

gf_status Block::function(const gf_module& source, const char* entry, uint32_t shared_bytes,
                          Function* out) {
  Module* module = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(modules_.begin(), modules_.end(),
                                    [&](Module* m) { return &m->source() == &source; });
    if (found != modules_.end()) {
      module = *found;
    } else {
      modules_.reserve(modules_.size() + 1);  // may throw, and must not after the loading
      const gf_status status = Module::acquire(driver_, device_, context_, source, &module);
      if (status != GF_OK) return status;
      modules_.push_back(module);
    }
  }
  return module->function(entry, shared_bytes, out);
}

Workspace* Block::find_free(uintptr_t user) {
  for (const auto& workspace : workspaces_) {
    if (!workspace->in_use && workspace->user == user) return workspace.get();
  }
  return nullptr;
}

/// Waits for the device: after that no workspace but those of running calls is used any more.
/// Null if all are.
gf_status Block::take_over_oldest(Workspace** out) {
  for (const auto& workspace : workspaces_) {
    if (workspace->in_use) continue;
    if (!*out || workspace->last_used < (*out)->last_used) *out = workspace.get();
  }
  if (!*out) return GF_OK;
  const gf_status status = checked(driver_.context_synchronize);
  if (status != GF_OK) return status;
  for (const auto& workspace : workspaces_) {
    if (!workspace->in_use) workspace->user = Workspace::kNobody;
  }
  return GF_OK;
}

gf_status Block::lend(uintptr_t user, Workspace** out) {
  const std::lock_guard lock(mutex_);
  Workspace* workspace = find_free(user);
  if (!workspace) workspace = find_free(Workspace::kNobody);
  if (!workspace && workspaces_.size() >= kMaxWorkspaces) {
    if (const gf_status status = take_over_oldest(&workspace); status != GF_OK) return status;
  }
  if (!workspace) {
    workspaces_.push_back(std::make_unique<Workspace>(driver_));
    workspace = workspaces_.back().get();
  }
  workspace->in_use = true;
  workspace->user = user;
  workspace->last_used = ++calls_;
  *out = workspace;
  return GF_OK;
}

gf_status Block::borrow(Stream stream, Workspace** out) { return lend(user_of(stream), out); }

gf_status Block::borrow_with_stream(Workspace** out) {
  gf_status status = lend(Workspace::kNobody, out);
  if (status == GF_OK) status = (*out)->make_stream();
  return status;
}

void Block::give_back(Workspace* workspace, bool done) {
  const std::lock_guard lock(mutex_);
  workspace->release_all();
  workspace->in_use = false;
  if (done) {
    workspace->user = Workspace::kNobody;
  } else {
    left_work_ = true;
  }
}

}  // namespace gatefold::cuda
