#include "runtime/reference/reference.h"

#include <cmath>
#include <numeric>

#include "runtime/reference/activation.h"

namespace gatefold {
namespace {

struct Sums {
  double value = 0;
  double size = 0;  ///< of the absolute values
};

/// Eight partial sums: plain enough to be right, wide enough for large layers.
Sums dot(const float* w, const float* x, int64_t length, double bias) {
  constexpr int kParts = 8;
  double value[kParts] = {}, size[kParts] = {};
  int64_t i = 0;
  for (; i + kParts <= length; i += kParts) {
    for (int p = 0; p < kParts; ++p) {
      const double product = double{w[i + p]} * double{x[i + p]};
      value[p] += product;
      size[p] += std::fabs(product);
    }
  }
  Sums sums{bias, std::fabs(bias)};
  for (; i < length; ++i) {
    const double product = double{w[i]} * double{x[i]};
    sums.value += product;
    sums.size += std::fabs(product);
  }
  for (int p = 0; p < kParts; ++p) sums.value += value[p], sums.size += size[p];
  return sums;
}

double bias_at(const float* bias, int64_t i) { return bias ? double{bias[i]} : 0.0; }

struct Hidden {
  std::vector<double> value;
  std::vector<double> drift;
};

/// What the rounding of a sum moves; an infinite sum has none (and its limit may be finite).
double passed_on(const Sums& sums, double factor) {
  return std::isfinite(sums.size) && sums.size > 0 ? sums.size * factor : 0;
}

/// How far h moves when gate and up each move by their own size.
double drift_of(const Variant& v, const Sums& gate, const Sums& up, double h) {
  if (!v.gated) return passed_on(up, activation_slope(v, up.value)) + std::fabs(h);
  const bool clipped = v.limit > 0 && gate.value > double{v.limit};
  const double act = std::fabs(reference_activation(v, clipped ? double{v.limit} : gate.value));
  const double other = std::fabs(up.value) + std::fabs(double{v.up_offset});
  return passed_on(gate, activation_slope(v, gate.value) * other) + passed_on(up, act) +
         std::fabs(h);
}

Hidden hidden_layer(const ReferenceBlock& b, const float* x) {
  Hidden hidden;
  for (int64_t f = 0; f < b.d_ff; ++f) {
    const Sums up = dot(b.up + f * b.d_model, x, b.d_model, bias_at(b.up_bias, f));
    Sums gate;
    if (b.variant.gated) gate = dot(b.gate + f * b.d_model, x, b.d_model, bias_at(b.gate_bias, f));
    const double h = reference_hidden(b.variant, gate.value, up.value);
    hidden.value.push_back(h);
    hidden.drift.push_back(drift_of(b.variant, gate, up, h));
  }
  return hidden;
}

void append_output(const ReferenceBlock& b, const Hidden& hidden, int64_t column, double residual,
                   ReferenceResult& result) {
  const float* w = b.down + column * b.d_ff;
  const double bias = bias_at(b.down_bias, column);
  double y = bias + residual, scale = std::fabs(bias) + std::fabs(residual), squares = 0, drift = 0;
  for (int64_t f = 0; f < b.d_ff; ++f) {
    const auto i = static_cast<size_t>(f);
    const double product = hidden.value[i] * double{w[f]};
    y += product;
    scale += std::fabs(product);
    squares += product * product;
    drift += hidden.drift[i] * std::fabs(double{w[f]});
  }
  result.y.push_back(y);
  result.scale.push_back(scale);
  result.spread.push_back(std::sqrt(squares));
  result.drift.push_back(drift);
}

std::vector<int64_t> all_or(const std::vector<int64_t>& sample, int64_t count) {
  if (!sample.empty()) return sample;
  std::vector<int64_t> all(static_cast<size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

ReferenceResult reference_ffn(const ReferenceBlock& block, const float* x, int64_t rows,
                              const ReferenceSample& sample, const float* residual) {
  const std::vector<int64_t> wanted_rows = all_or(sample.rows, rows);
  const std::vector<int64_t> wanted_columns = all_or(sample.columns, block.d_model);
  ReferenceResult result;
  result.rows = static_cast<int64_t>(wanted_rows.size());
  result.columns = static_cast<int64_t>(wanted_columns.size());
  for (int64_t row : wanted_rows) {
    const Hidden hidden = hidden_layer(block, x + row * block.d_model);
    for (int64_t column : wanted_columns) {
      const double added = residual ? double{residual[row * block.d_model + column]} : 0.0;
      append_output(block, hidden, column, added, result);
    }
  }
  return result;
}

}  // namespace gatefold
