#include "runtime/call.h"
#include "runtime/status.h"

namespace gatefold {
namespace {

long long ll(int64_t value) { return value; }

gf_status check_rows(const gf_ffn& ffn, const char* name, const gf_rows& r) {
  if (r.struct_size < sizeof r) {
    return failed(GF_INVALID_ARGUMENT, "%s: struct_size %u, wanted %zu", name, r.struct_size,
                  sizeof r);
  }
  if (r.dtype != ffn.act_dtype) {
    return failed(GF_DTYPE_MISMATCH, "%s: dtype %d, the library's is %s", name, r.dtype,
                  ffn.table->act_dtype);
  }
  if (r.cols != ffn.sizes.d_model) {
    return failed(GF_SHAPE_MISMATCH, "%s: %lld columns, wanted d_model %lld", name, ll(r.cols),
                  ll(ffn.sizes.d_model));
  }
  const int64_t size = dtype_bytes(r.dtype);
  if (r.rows < 0) return failed(GF_INVALID_ARGUMENT, "%s: %lld rows", name, ll(r.rows));
  if (r.row_stride != 0 && r.row_stride < r.cols) {
    return failed(GF_INVALID_ARGUMENT, "%s: row_stride %lld, wanted 0 (dense) or at least %lld",
                  name, ll(r.row_stride), ll(r.cols));
  }
  if (r.rows > 0 && stride_of(r) > INT64_MAX / 8 / r.rows) {
    return failed(GF_INVALID_ARGUMENT, "%s: %lld rows of stride %lld do not fit in memory", name,
                  ll(r.rows), ll(stride_of(r)));
  }
  if (r.rows > 0 && !r.data) return failed(GF_INVALID_ARGUMENT, "%s: data is NULL", name);
  if (reinterpret_cast<uintptr_t>(r.data) % static_cast<uintptr_t>(size) != 0) {
    return failed(GF_INVALID_ARGUMENT, "%s: data %p is not aligned to its %lld-byte elements", name,
                  r.data, ll(size));
  }
  return GF_OK;
}

/// Whether a byte belongs to both: exactly, since rows may interleave without touching. Only
/// tensors whose spans meet are looked at row by row.
bool overlap(const gf_rows& x, const gf_rows& y) {
  const int64_t size = dtype_bytes(x.dtype), row = x.cols * size;
  const int64_t x_step = stride_of(x) * size, y_step = stride_of(y) * size;
  const auto a = reinterpret_cast<uintptr_t>(x.data), b = reinterpret_cast<uintptr_t>(y.data);
  const auto span = [&](int64_t step) { return static_cast<uintptr_t>((x.rows - 1) * step + row); };
  if (a + span(x_step) <= b || b + span(y_step) <= a) return false;
  for (int64_t i = 0; i < x.rows; ++i) {
    // The first row of y that ends behind the begin of x's row; y begins at 0.
    const int64_t begin = static_cast<int64_t>(a - b) + i * x_step;
    const int64_t j = begin < row ? 0 : (begin - row) / y_step + 1;
    if (j < y.rows && j * y_step < begin + row) return true;
  }
  return false;
}

gf_status check_residual(const gf_ffn& ffn, const gf_rows& residual, const gf_rows& y) {
  if (const gf_status status = check_rows(ffn, "residual", residual); status != GF_OK)
    return status;
  if (residual.rows != y.rows) {
    return failed(GF_SHAPE_MISMATCH, "residual has %lld rows, y has %lld", ll(residual.rows),
                  ll(y.rows));
  }
  if (y.rows > 0 && !same_memory(residual, y) && overlap(residual, y)) {
    return failed(GF_OVERLAP,
                  "residual and y overlap in part: wanted the same data and row_stride, or no byte "
                  "in common");
  }
  return GF_OK;
}

}  // namespace

gf_status check_call(const gf_ffn& ffn, const Call& call) {
  const gf_rows &x = call.x, &y = call.y;
  gf_status status = check_rows(ffn, "x", x);
  if (status == GF_OK) status = check_rows(ffn, "y", y);
  if (status != GF_OK) return status;
  if (x.rows != y.rows)
    return failed(GF_SHAPE_MISMATCH, "x has %lld rows, y has %lld", ll(x.rows), ll(y.rows));
  if (x.rows > 0 && overlap(x, y)) return failed(GF_OVERLAP, "x and y overlap");
  return call.residual ? check_residual(ffn, *call.residual, y) : GF_OK;
}

}  // namespace gatefold
