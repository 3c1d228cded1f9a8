#pragma once

#include "runtime/call.h"
#include "runtime/cuda/driver.h"

namespace gatefold::cuda {

// A checked call, with at least one row, of a block for CUDA. May throw std::bad_alloc.

/// Copies to the device and back, and waits.
gf_status run_on_host_memory(gf_ffn& ffn, const Call& call);

/// Enqueues on the caller's stream.
gf_status run_on_device_memory(gf_ffn& ffn, const Call& call, Stream stream);

}  // namespace gatefold::cuda
