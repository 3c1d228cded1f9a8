#include "tuning/roofline.h"

#include <algorithm>
#include <cmath>

namespace gatefold {
namespace {

double peak_gflops(const FfnSpec& ffn, const Roof& roof) {
  // Every core that multiplies f16 does so by twice the lanes.
  if (ffn.accumulate == DType::f16) return 2 * roof.f32_gflops;
  return uses_bf16_dot(ffn, roof.target) ? roof.bf16_gflops : roof.f32_gflops;
}

}  // namespace

int64_t packed_weight_bytes(const FfnSpec& ffn, const Packing& packing) {
  const Shape& s = ffn.shape;
  const int64_t inner = ffn.variant.matrices() - 1;
  return info(ffn.dtype).bytes * (inner * packed_elements(packing, s.d_ff, s.d_model) +
                                  packed_elements(packing, s.d_model, s.d_ff));
}

Roofline roofline(const FfnSpec& ffn, int64_t rows, const Roof& roof, int64_t packed_bytes) {
  const double d_model = static_cast<double>(ffn.shape.d_model);
  const double weights = ffn.variant.matrices() * d_model * static_cast<double>(ffn.shape.d_ff);
  const double element = info(ffn.dtype).bytes, act_element = info(ffn.act()).bytes;
  const double flops = 2 * weights * static_cast<double>(rows);
  const double weight_bytes =
      packed_bytes > 0 ? static_cast<double>(packed_bytes) : weights * element;
  const double per_row = (ffn.residual ? 3 : 2) * d_model * act_element;
  const double bytes = weight_bytes + static_cast<double>(rows) * per_row;
  const double peak = peak_gflops(ffn, roof);
  const double compute_ms = peak > 0 ? flops / peak / 1e6 : 0;
  const double memory_ms = roof.read_gbps > 0 ? bytes / roof.read_gbps / 1e6 : 0;
  return {std::max(compute_ms, memory_ms), compute_ms > memory_ms ? "compute" : "memory"};
}

double roofline_ms(const FfnSpec& ffn, int64_t rows, const Roof& roof) {
  return roofline(ffn, rows, roof).ms;
}

std::optional<double> efficiency(const Roofline& bound, double median_ms) {
  if (!(bound.ms > 0) || !(median_ms > 0) || !std::isfinite(median_ms)) return std::nullopt;
  const double value = bound.ms / median_ms;
  if (value > kHighestEfficiency) return std::nullopt;
  return value;
}

}  // namespace gatefold
