#pragma once

#include <cstdint>
#include <vector>

#include "spec/variant.h"

namespace gatefold {

/// A block's weights as f32, dense row-major [out, in]; bf16 weights widened exactly. gate is NULL
/// for dense variants, biases may be NULL.
struct ReferenceBlock {
  Variant variant;
  int64_t d_model = 0;
  int64_t d_ff = 0;
  const float* gate = nullptr;
  const float* up = nullptr;
  const float* down = nullptr;
  const float* gate_bias = nullptr;
  const float* up_bias = nullptr;
  const float* down_bias = nullptr;
};

/// Which outputs to compute; an empty list means all. A row costs its whole hidden layer.
struct ReferenceSample {
  std::vector<int64_t> rows;
  std::vector<int64_t> columns;
};

/// Values of the sampled outputs, [row][column] in the sample's order.
struct ReferenceResult {
  int64_t rows = 0;
  int64_t columns = 0;
  std::vector<double> y;
  std::vector<double>
      scale;  ///< |h| |W_down|^T + |b| + |residual|: what an error in every product is relative to
  std::vector<double>
      spread;  ///< sqrt of the sum of (h W_down)^2: what independent errors are relative to
  std::vector<double>
      drift;  ///< scale of the errors that the hidden layer brings from its own sums
};

/// y = FFN(x), plus the residual if there is one, in f64 without any intermediate rounding. x and
/// residual are dense [rows, d_model], as f32.
ReferenceResult reference_ffn(const ReferenceBlock& block, const float* x, int64_t rows,
                              const ReferenceSample& sample = {}, const float* residual = nullptr);

}  // namespace gatefold
