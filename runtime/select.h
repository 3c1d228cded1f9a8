#pragma once

#include <vector>

#include "gatefold/gatefold.h"

namespace gatefold {

/// The target whose kernels a block uses.
struct TargetChoice {
  const char* target = nullptr;  ///< the library's string
  bool lower_isa = false;        ///< the library has better kernels than this CPU runs
};

/// `wanted` (NULL: GATEFOLD_ISA; "host" or neither: the best that this CPU runs) among the table's
/// targets.
gf_status choose_target(const gf_kernel_table& table, const char* wanted, TargetChoice* choice);

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
