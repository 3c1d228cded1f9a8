#pragma once

#include "tuning/gpu_launch.h"

namespace gatefold::gpu {

std::vector<GpuLaunch> thread_launches(const KernelSpec& kernel, int64_t l2_bytes);
std::vector<GpuLaunch> tensor_core_launches(const KernelSpec& kernel, const TensorCorePoint& point,
                                            int64_t l2_bytes);

inline int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// A value that the kernel before wrote. It is found in L2 if that holds it twice over, since the
/// weights go through it too; else it came from memory and is read from there.
inline double from_memory(double bytes, int64_t l2_bytes) {
  return 2 * bytes > static_cast<double>(l2_bytes) ? bytes : 0;
}

/// Bytes of the call's own rows of d_model: x, y or the residual.
double rows_bytes(const KernelSpec& kernel);

/// What y is made of beside its sums, and y.
double output_bytes(const KernelSpec& kernel);

}  // namespace gatefold::gpu
