#pragma once

#include <string>

#include "generator/mlir/tensor_core.h"

namespace gatefold {

/// The C source of `int SYMBOL_argv(void **args)`, the `call` of a kernel table's entry, with the
/// PTX in it as text. It takes its arguments as the header of the table says, with one stream for
/// each whole matrix: gate (of gated blocks), up, down. It allocates the hidden layer and partial
/// sums through the device hooks and launches the entries in their order; where x does not stand as
/// the kernels need it (hidden_parameters), it says so through the error hook.
std::string launch_source(const TensorCoreKernel& kernel, const std::string& ptx,
                          const std::string& symbol);

}  // namespace gatefold
