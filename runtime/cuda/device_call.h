#pragma once

#include "runtime/call_context.h"
#include "runtime/cuda/block.h"

namespace gatefold::cuda {

/// What one call of a block for CUDA shares with its kernels.
struct DeviceCall : CallContext {
  DeviceCall(const Executor& executor, Block& block, Workspace& workspace, Stream stream);

  gf_hooks hooks;  ///< those of every call, and the device's
  Block& block;
  Workspace& workspace;
  Stream stream;
  gf_status status = GF_OK;  ///< of the first hook that failed; gf_last_error() has the message
};

}  // namespace gatefold::cuda
