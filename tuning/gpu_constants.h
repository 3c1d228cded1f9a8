#pragma once

namespace gatefold {

/// What no data sheet says of a device and the model has to assume; docs/cost_model.md has the
/// sources. Nothing of it was fitted: no device was at hand.
struct GpuConstants {
  int capability;
  double memory_latency_s;    ///< of a load that misses L2, while memory is busy
  double l2_latency_s;        ///< of one that finds its line there
  double memory_share;        ///< of the peak bandwidth that streaming reads get
  double l2_bytes_per_clock;  ///< of one multiprocessor
  double mma_latency;         ///< cycles until the sums of m16n8k16 may be added to
  double mma_share;           ///< of the tensor peak that mma.sync reaches
  double launch_s;            ///< of a kernel that waits for the one before it
};

const GpuConstants& gpu_constants(int capability);

}  // namespace gatefold
