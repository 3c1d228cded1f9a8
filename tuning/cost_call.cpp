#include "tuning/cost_call.h"

#include <algorithm>
#include <cmath>

namespace gatefold {
namespace {

constexpr Shape kMiddling = {4096, 11008};

KernelSpec with_sizes(KernelSpec k) {
  if (k.ffn.shape.d_model == Shape::kAny) k.ffn.shape.d_model = kMiddling.d_model;
  if (k.ffn.shape.d_ff == Shape::kAny) k.ffn.shape.d_ff = kMiddling.d_ff;
  return k;
}

Product product_of(const Call& call, double columns, int panels_per_matrix, double length) {
  const Packing& p = call.kernel.packing;
  Product product;
  product.groups = std::ceil(columns / (p.panel * panels_per_matrix));
  product.lines = static_cast<double>(packed_lines(p, static_cast<int64_t>(length)));
  product.block_lines = call.point().kb > 0 ? call.point().kb : product.lines;
  product.rows = call.rows_of_pass();
  product.input_length = length;
  return product;
}

/// Whether down reads the hidden layer tile by tile, as gate and up read x: NEON's schedules.
bool hidden_by_tiles(const Call& call) {
  return info(call.kernel.target).arch == Arch::arm64 && call.point().xpack == 1;
}

}  // namespace

double Call::rows_of_pass() const {
  if (point().mb == 0) return rows;
  return std::min<double>(rows, point().mb * point().mr);
}

double Call::passes() const { return std::ceil(rows / rows_of_pass()); }

Call make_call(const KernelSpec& kernel, const Machine& machine) {
  return {with_sizes(kernel), machine,
          static_cast<double>(std::max<int64_t>(1, kernel.rows.tuned_rows)),
          static_cast<double>(info(kernel.target).vector_lanes)};
}

Product first_product(const Call& call) {
  const bool together = call.kernel.ffn.variant.gated && call.point().fusion != Fusion::unfused;
  const int panels = call.point().streams / (together ? 2 : 1);
  Product p = product_of(call, call.d_ff(), panels, call.d_model());
  p.by_rows = call.point().xpack == 0;
  p.input_element = uses_bf16_dot(call.kernel.ffn, call.kernel.target) ? 2 : 4;
  return p;
}

Product down_product(const Call& call) {
  Product p = product_of(call, call.d_model(), call.point().streams, call.d_ff());
  p.by_rows = !hidden_by_tiles(call);
  p.input_element = call.hidden_element();
  return p;
}

}  // namespace gatefold
