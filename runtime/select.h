#pragma once

#include <vector>

#include "gatefold/gatefold.h"
#include "runtime/cuda/device.h"

namespace gatefold {

/// The target whose kernels a block uses.
struct TargetChoice {
  const char* target = nullptr;  ///< the library's string
  bool lower_isa = false;        ///< the library has better kernels than this machine runs
  cuda::DeviceInfo device = {};  ///< of a target for CUDA; else ordinal -1

  bool on_cuda() const { return device.ordinal >= 0; }
};

/// `wanted` (NULL: GATEFOLD_ISA; "host" or neither: the best that this CPU runs; "cuda": the best
/// that the device runs) among the table's targets. A device is only used where it is asked for.
gf_status choose_target(const gf_kernel_table& table, const char* wanted, TargetChoice* choice,
                        int cuda_device = 0);

/// What choose_target() says of a GATEFOLD_ISA that names no target; GF_OK of every other.
gf_status isa_in_environment();

/// One row bucket and its kernel.
struct BucketChoice {
  int64_t rows_min = 1;
  int64_t rows_max = 1;
  const gf_kernel* kernel = nullptr;
};

/// The target's buckets in ascending order; of kernels tuned for several thread counts the nearest.
std::vector<BucketChoice> choose_kernels(const gf_kernel_table& table, const char* target,
                                         int threads);

/// Distance of `rows` to a bucket; 0 inside.
int64_t distance_to_bucket(int64_t rows_min, int64_t rows_max, int64_t rows);

/// "exact", "nearest", "any" or "lower_isa"; the first of nearest, lower_isa, any that applies.
const char* match_name(const gf_kernel_table& table, const TargetChoice& choice, bool in_bucket);

}  // namespace gatefold
