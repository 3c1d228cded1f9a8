#include "runtime/weights.h"

#include "runtime/status.h"

namespace gatefold {
namespace {

constexpr int64_t kMaxStride = int64_t{1} << 40;

long long ll(int64_t value) { return value; }

gf_status check_tensor(const char* name, const gf_tensor& t, int64_t rows, int64_t cols) {
  if (t.rows != rows || t.cols != cols) {
    const bool swapped = t.rows == cols && t.cols == rows;
    return failed(GF_SHAPE_MISMATCH, "%s: [%lld, %lld], wanted [%lld, %lld]%s", name, ll(t.rows),
                  ll(t.cols), ll(rows), ll(cols), swapped ? " (stored the other way round?)" : "");
  }
  if (t.row_stride != 0 && (t.row_stride < cols || t.row_stride > kMaxStride)) {
    return failed(GF_INVALID_ARGUMENT, "%s: row_stride %lld, wanted 0 (dense) or at least %lld",
                  name, ll(t.row_stride), ll(cols));
  }
  if (t.dtype != GF_F32 && t.dtype != GF_BF16 && t.dtype != GF_F16)
    return failed(GF_DTYPE_MISMATCH, "%s: dtype %d, wanted f32, bf16 or f16", name, t.dtype);
  return GF_OK;
}

/// A tensor [n, k], or [k, n] if transposed.
gf_status view_matrix(const char* name, const gf_tensor& t, int64_t n, int64_t k,
                      MatrixView* view) {
  if (t.transposed != 0 && t.transposed != 1)
    return failed(GF_INVALID_ARGUMENT, "%s: transposed %d, wanted 0 or 1", name, t.transposed);
  const int64_t rows = t.transposed ? k : n, cols = t.transposed ? n : k;
  if (const gf_status status = check_tensor(name, t, rows, cols); status != GF_OK) return status;
  const int64_t stride = t.row_stride ? t.row_stride : cols;
  *view = {static_cast<const uint8_t*>(t.data),
           t.dtype,
           n,
           k,
           t.transposed ? 1 : stride,
           t.transposed ? stride : 1};
  return GF_OK;
}

/// Every `step`-th of a view's n from `first` on.
MatrixView part(MatrixView view, int64_t first, int64_t step, int64_t count) {
  view.data += first * view.stride_n * dtype_bytes(view.dtype);
  view.stride_n *= step;
  view.n = count;
  return view;
}

gf_status split_fused(const char* name, const MatrixView& fused, gf_gate_order order,
                      MatrixView* gate, MatrixView* up) {
  const int64_t d_ff = fused.n / 2;
  switch (order) {
    case GF_GATE_FIRST:
      *gate = part(fused, 0, 1, d_ff);
      *up = part(fused, d_ff, 1, d_ff);
      return GF_OK;
    case GF_UP_FIRST:
      *up = part(fused, 0, 1, d_ff);
      *gate = part(fused, d_ff, 1, d_ff);
      return GF_OK;
    case GF_INTERLEAVED:
      *gate = part(fused, 0, 2, d_ff);
      *up = part(fused, 1, 2, d_ff);
      return GF_OK;
    case GF_ORDER_NONE:
      break;
  }
  return failed(GF_INVALID_ARGUMENT,
                "%s: order %d, wanted gate_first, up_first or interleaved; there is no default",
                name, order);
}

/// Matrices (k = d_model) or biases (k = 1): either the fused tensor or the separate ones.
struct GateUp {
  const char *gate_name, *up_name, *fused_name;
  const gf_tensor &gate, &up, &fused;
  int64_t k;
};

gf_status view_gate_up(const GateUp& t, const gf_kernel_table& table, const Sizes& s,
                       gf_gate_order order, MatrixView* views) {
  if (!table.gated && (t.gate.data || t.fused.data)) {
    return failed(GF_INVALID_ARGUMENT, "%s: given, but %s has no gate",
                  t.gate.data ? t.gate_name : t.fused_name, table.variant);
  }
  if (t.fused.data && (t.gate.data || t.up.data)) {
    return failed(GF_INVALID_ARGUMENT, "%s: given together with %s", t.fused_name,
                  t.gate.data ? t.gate_name : t.up_name);
  }
  if (t.fused.data) {
    MatrixView fused;
    const gf_status status = view_matrix(t.fused_name, t.fused, 2 * s.d_ff, t.k, &fused);
    if (status != GF_OK) return status;
    return split_fused(t.fused_name, fused, order, &views[GF_MATRIX_GATE], &views[GF_MATRIX_UP]);
  }
  gf_status status = GF_OK;
  if (t.gate.data) status = view_matrix(t.gate_name, t.gate, s.d_ff, t.k, &views[GF_MATRIX_GATE]);
  if (status == GF_OK && t.up.data)
    status = view_matrix(t.up_name, t.up, s.d_ff, t.k, &views[GF_MATRIX_UP]);
  return status;
}

gf_status require(const MatrixView& view, const char* name) {
  return view.data ? GF_OK : failed(GF_INVALID_ARGUMENT, "%s: missing", name);
}

gf_status view_matrices(const gf_kernel_table& table, const Sizes& s, const gf_ffn_weights& w,
                        MatrixView* views) {
  const GateUp gate_up{"gate", "up", "gate_up", w.gate, w.up, w.gate_up, s.d_model};
  gf_status status = view_gate_up(gate_up, table, s, w.order, views);
  if (status == GF_OK && w.down.data)
    status = view_matrix("down", w.down, s.d_model, s.d_ff, &views[GF_MATRIX_DOWN]);
  if (status == GF_OK && table.gated) status = require(views[GF_MATRIX_GATE], "gate");
  if (status == GF_OK) status = require(views[GF_MATRIX_UP], "up");
  if (status == GF_OK) status = require(views[GF_MATRIX_DOWN], "down");
  return status;
}

gf_status view_biases(const gf_kernel_table& table, const Sizes& s, const gf_ffn_weights& w,
                      MatrixView* views) {
  const bool any = w.gate_bias.data || w.up_bias.data || w.gate_up_bias.data || w.down_bias.data;
  if (any && !table.has_bias) {
    return failed(GF_INVALID_ARGUMENT, "biases: given, but %s was generated without them",
                  table.library);
  }
  const GateUp gate_up{"gate_bias",    "up_bias", "gate_up_bias", w.gate_bias, w.up_bias,
                       w.gate_up_bias, 1};
  const gf_status status = view_gate_up(gate_up, table, s, w.order, views);
  if (status != GF_OK || !w.down_bias.data) return status;
  return view_matrix("down_bias", w.down_bias, s.d_model, 1, &views[GF_MATRIX_DOWN]);
}

}  // namespace

gf_status view_weights(const gf_kernel_table& table, const Sizes& sizes,
                       const gf_ffn_weights& weights, WeightViews* views) {
  const gf_status status = view_matrices(table, sizes, weights, views->matrix);
  return status == GF_OK ? view_biases(table, sizes, weights, views->bias) : status;
}

}  // namespace gatefold
