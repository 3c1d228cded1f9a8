#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generator/mlir/kernel_parameters.h"
#include "generator/mlir/scalar_program.h"
#include "generator/mlir/tile.h"

namespace gatefold {

/// One entry of the PTX and how it is launched.
struct KernelEntry {
  std::string name;
  std::vector<KernelParameter> parameters;
  int threads = 0;
  int shared_bytes = 0;
  /// Blocks of a tile grid: x = ceil(rows / rows_of_block), y = ceil(columns / columns_of_block),
  /// z = splits.
  int rows_of_block = 1;
  int columns_of_block = 1;
  int splits = 1;
};

/// The kernels of one block (KernelSpec) on tensor cores: what it takes to make and to launch them.
///   hidden: gate/up product, biases, activation and product, rounded once; columns are those of
///   the
///           packed gate and up
///   down:   hidden times down; with bias and residual y, or with splits their partial sums
///   sum:    with splits alone: adds the parts in their order
struct TensorCoreKernel {
  KernelSpec spec;
  TensorCorePoint point;
  int capability = 80;
  KernelEntry hidden, down;
  std::optional<KernelEntry> sum;
};

/// A usage error with the reason if the description or the point is not legal.
TensorCoreKernel tensor_core_kernel(const KernelSpec& spec, const TensorCorePoint& point,
                                    int capability, const std::string& symbol);

/// The PTX of all its entries. Deterministic. Throws Error; LLVM may also abort the process.
std::string tensor_core_ptx(const TensorCoreKernel& kernel);

/// PTX of one kernel `name` that gives out[i] = program(in[0][i], in[1][i], …) for i < count, f32:
/// parameters in_0, …, out, count; 128 threads a block. Shows what becomes of an expression.
std::string elementwise_ptx(const ScalarProgram& program, int arguments, int capability,
                            const std::string& name);

}  // namespace gatefold
