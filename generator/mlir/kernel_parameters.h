#pragma once

#include <string>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold {

/// One argument of a kernel: the address of global memory, or an int32. The name is that of the
/// local variable in the generated launch source too.
struct KernelParameter {
  std::string name;
  bool pointer = false;
};

/// gate/up with the activation: x -> hidden.
///   x, x_stride        rows of 16-bit values, each 16-byte aligned (the stride, in values, is a
///                      multiple of 8) and zero from d_model to 8 * words
///   gate, up           packed weights: chunk (column, k / 8) of 16 bytes at
///                      (panel * words + k / 8) * panel_width + column in the panel
///   gate_bias, up_bias f32, padded to hidden_columns
///   hidden             rows of hidden_columns 16-bit values; written, 0 from d_ff on
///   rows, words, hidden_columns, d_ff
std::vector<KernelParameter> hidden_parameters(const FfnSpec& ffn);

/// The down projection: hidden -> y, or with split_k > 1 hidden -> partial, f32 sums
/// [split][row][columns].
///   hidden, hidden_columns, down, rows, words, columns (padded)
///   and without a split: down_bias, residual, residual_stride, y, y_stride, d_model
std::vector<KernelParameter> down_parameters(const FfnSpec& ffn, bool split);

/// Adds the parts in their order, then the bias and the residual: partial -> y.
std::vector<KernelParameter> sum_parameters(const FfnSpec& ffn);

}  // namespace gatefold
