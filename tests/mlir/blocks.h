#pragma once

#include <string>
#include <vector>

#include "generator/mlir/tensor_core.h"

namespace gatefold::test {

/// What the tests of this folder make kernels of: packed as Halide's kernels for CUDA are, since
/// both read the same weights.
KernelSpec tensor_core_spec(const std::string& variant, DType dtype, int64_t tuned_rows = 64);

inline const std::vector<DType> kHalfTypes = {DType::bf16, DType::f16};
inline const std::vector<int> kCapabilities = {80, 90};

/// Row counts that name buckets: each has another default point.
inline const std::vector<int64_t> kTunedRows = {16, 64, 256};

/// The kernel by its default point.
TensorCoreKernel default_kernel(const KernelSpec& spec, int capability);

}  // namespace gatefold::test
