#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "runtime/cuda/device.h"
#include "runtime/cuda/module.h"
#include "runtime/cuda/workspace.h"

namespace gatefold::cuda {

/// What a block has on its device: the packed weights, the modules of its kernels, workspaces. The
/// context must be current for all of it but make() and the destructor, which see to it themselves.
class Block {
 public:
  /// Keeps the device's primary context and copies the packed weights there.
  static gf_status make(const DeviceInfo& device, const void* packed, int64_t bytes,
                        std::unique_ptr<Block>* out);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  const Driver& driver() const { return driver_; }
  const DeviceInfo& device() const { return device_; }
  Context context() const { return context_; }
  Address weights() const { return weights_; }

  /// An entry of a module, which is loaded if it is not yet.
  gf_status function(const gf_module& source, const char* entry, uint32_t shared_bytes,
                     Function* out);

  /// A workspace for a call that enqueues on `stream`.
  gf_status borrow(Stream stream, Workspace** out);
  /// A workspace for a call that waits for its work, with a stream of its own.
  gf_status borrow_with_stream(Workspace** out);
  /// done: no work of the call is left; else it is in the stream that the workspace was lent for.
  void give_back(Workspace* workspace, bool done);

 private:
  Block(const Driver& driver, const DeviceInfo& device) : driver_(driver), device_(device) {}

  gf_status upload(const void* packed, int64_t bytes);
  Workspace* find_free(uintptr_t user);
  gf_status take_over_oldest(Workspace** out);
  gf_status lend(uintptr_t user, Workspace** out);

  const Driver& driver_;
  const DeviceInfo device_;
  Context context_ = nullptr;
  Address weights_ = 0;

  std::mutex mutex_;  ///< of what follows
  std::vector<Module*> modules_;
  std::vector<std::unique_ptr<Workspace>> workspaces_;
  uint64_t calls_ = 0;
  bool left_work_ = false;  ///< a call returned before its work was done
};

/// A workspace for the length of a call.
class Lease {
 public:
  explicit Lease(Block& block) : block_(block) {}
  ~Lease() {
    if (workspace_) block_.give_back(workspace_, done_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  gf_status take(Stream stream) { return block_.borrow(stream, &workspace_); }
  gf_status take_with_stream() { return block_.borrow_with_stream(&workspace_); }
  void set_done() { done_ = true; }
  Workspace& operator*() const { return *workspace_; }
  Workspace* operator->() const { return workspace_; }

 private:
  Block& block_;
  Workspace* workspace_ = nullptr;
  bool done_ = false;
};

}  // namespace gatefold::cuda
