#pragma once

#include "gatefold/gatefold.h"
#include "runtime/pack.h"

namespace gatefold {

struct Sizes {
  int64_t d_model = 0;
  int64_t d_ff = 0;
};

/// The caller's tensors as checked views, by GF_MATRIX_*; data NULL: not there (biases: zero).
struct WeightViews {
  MatrixView matrix[3];
  MatrixView bias[3];
};

/// Output and input length of a matrix.
inline int64_t out_size(int matrix, const Sizes& s) {
  return matrix == GF_MATRIX_DOWN ? s.d_model : s.d_ff;
}
inline int64_t in_size(int matrix, const Sizes& s) {
  return matrix == GF_MATRIX_DOWN ? s.d_ff : s.d_model;
}

/// Checks every tensor against the library and the sizes; splits fused ones by their order.
gf_status view_weights(const gf_kernel_table& table, const Sizes& sizes,
                       const gf_ffn_weights& weights, WeightViews* views);

}  // namespace gatefold
