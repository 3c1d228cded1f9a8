#include <algorithm>

#include "runtime/call_context.h"
#include "runtime/ffn.h"
#include "runtime/fp_environment.h"
#include "runtime/futex.h"
#include "runtime/status.h"

namespace gatefold {
namespace {

// Halide indexes and sizes its buffers with 32-bit numbers, so a long call goes in pieces. A GiB
// per buffer also bounds the workspace.
constexpr int64_t kMaxPieceElements = int64_t{1} << 28;

long long ll(int64_t value) { return value; }

int64_t stride_of(const gf_rows& r) { return r.row_stride ? r.row_stride : r.cols; }

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

/// Element by element the same memory.
bool same_memory(const gf_rows& a, const gf_rows& b) {
  return a.data == b.data && (a.rows <= 1 || stride_of(a) == stride_of(b));
}

/// The matrices of one call; the residual is null where the block adds none.
struct Call {
  const gf_rows& x;
  const gf_rows* residual;
  const gf_rows& y;
};

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

int bucket_for(const gf_ffn& ffn, int64_t rows) {
  int best = 0;
  int64_t best_distance = INT64_MAX;
  for (int i = 0; i < ffn.bucket_count; ++i) {
    const BucketChoice& c = ffn.buckets[i].choice;
    const int64_t distance = distance_to_bucket(c.rows_min, c.rows_max, rows);
    if (distance >= best_distance) continue;
    best = i;
    best_distance = distance;
    if (distance == 0) break;
  }
  return best;
}

void describe_rows(const gf_rows& r, int64_t first, int64_t count, Buffer* buffer) {
  const int64_t stride = count > 1 ? stride_of(r) : r.cols;
  uint8_t* data = static_cast<uint8_t*>(r.data) + first * stride_of(r) * dtype_bytes(r.dtype);
  const auto bits = static_cast<uint8_t>(8 * dtype_bytes(r.dtype));
  buffer->describe(data, r.dtype == GF_BF16 ? halide_type_bfloat : halide_type_float, bits, 2);
  buffer->dim[0] = {0, static_cast<int32_t>(r.cols), 1};
  buffer->dim[1] = {0, static_cast<int32_t>(count), static_cast<int32_t>(stride)};
}

/// `residual` may be null.
int call_kernel(gf_ffn& ffn, Bucket& bucket, CallContext* context, Buffer* x, Buffer* residual,
                Buffer* y) {
  const gf_kernel& kernel = *bucket.choice.kernel;
  void* context_argument = context;  // a gf_context: its first member
  void* arguments[kMaxArguments];
  int count = 0;
  arguments[count++] = &context_argument;
  arguments[count++] = &x->raw;
  for (int i = 0; i < kernel.stream_count; ++i) arguments[count++] = &bucket.streams[i].raw;
  if (ffn.table->has_bias) {
    for (int m = ffn.table->gated ? GF_MATRIX_GATE : GF_MATRIX_UP; m <= GF_MATRIX_DOWN; ++m)
      arguments[count++] = &ffn.bias_buffers[m].raw;
  }
  int32_t d_ff = static_cast<int32_t>(ffn.sizes.d_ff);
  arguments[count++] = &d_ff;
  if (residual) arguments[count++] = &residual->raw;
  arguments[count++] = &y->raw;
  return kernel.call(arguments);
}

/// Rows of one kernel call: as many as 32-bit indices reach, in pieces of similar length.
int64_t piece_rows(const gf_ffn& ffn, const Call& call) {
  const int64_t of_residual = call.residual ? stride_of(*call.residual) : 0;
  const int64_t widest = std::max({ffn.widest, stride_of(call.x), stride_of(call.y), of_residual});
  const int64_t most = std::max<int64_t>(1, kMaxPieceElements / widest);
  return ceil_div(call.x.rows, ceil_div(call.x.rows, most));
}

gf_status kernel_failure(const gf_kernel& kernel, const CallContext& context, int code) {
  if (context.pool_failed.load()) return GF_PARALLEL_FOR_FAILED;
  if (context.out_of_memory.load())
    return failed(GF_OUT_OF_MEMORY, "kernel '%s': no memory for its workspace", kernel.name);
  return failed(GF_KERNEL_FAILED, "kernel '%s': error %d%s%s", kernel.name, code,
                context.message[0] ? ": " : "", context.message);
}

gf_status run_pieces(gf_ffn& ffn, Bucket& bucket, CallContext& context, const Call& call) {
  const StandardFpEnvironment standard;
  const int64_t rows = call.x.rows, piece = piece_rows(ffn, call);
  for (int64_t first = 0; first < rows; first += piece) {
    const int64_t count = std::min(piece, rows - first);
    Buffer in, added, out;
    describe_rows(call.x, first, count, &in);
    if (call.residual) describe_rows(*call.residual, first, count, &added);
    describe_rows(call.y, first, count, &out);
    Buffer* const residual = call.residual ? &added : nullptr;
    if (const int code = call_kernel(ffn, bucket, &context, &in, residual, &out))
      return kernel_failure(*bucket.choice.kernel, context, code);
  }
  return GF_OK;
}

void note_call(gf_ffn& ffn, int index, const CallContext& context, int64_t rows, double ms) {
  constexpr auto relaxed = std::memory_order_relaxed;
  Bucket& bucket = ffn.buckets[index];
  if (!bucket.called.load(relaxed) && !bucket.called.exchange(true)) bucket.first_ms.store(ms);
  ffn.last_call.store(pack_last_call({index, rows}), relaxed);
  ffn.last_ms.store(ms, relaxed);
  ffn.calls.fetch_add(1, relaxed);
  raise_to(ffn.workspace_bytes, static_cast<int64_t>(context.peak_bytes.load(relaxed)));
}

gf_status run(gf_ffn& ffn, const Call& call) {
  if (const gf_status status = check_call(ffn, call); status != GF_OK) return status;
  const int64_t rows = call.x.rows;
  if (rows == 0) return GF_OK;
  const int index = bucket_for(ffn, rows);
  CallContext context(ffn.executor);
  const int64_t start = now_ns();
  const gf_status status = run_pieces(ffn, ffn.buckets[index], context, call);
  if (status != GF_OK) return status;
  note_call(ffn, index, context, rows, static_cast<double>(now_ns() - start) * 1e-6);
  return GF_OK;
}

}  // namespace
}  // namespace gatefold

gf_status gf_ffn_run(gf_ffn* ffn, const gf_rows* x, const gf_rows* y) {
  using namespace gatefold;
  if (!ffn || !x || !y) return failed(GF_INVALID_ARGUMENT, "gf_ffn_run: a null pointer");
  if (ffn->table->has_residual) {
    return failed(GF_INVALID_ARGUMENT,
                  "gf_ffn_run: library '%s' adds a residual, wanted gf_ffn_run_residual",
                  ffn->table->library);
  }
  return run(*ffn, {*x, nullptr, *y});
}

gf_status gf_ffn_run_residual(gf_ffn* ffn, const gf_rows* x, const gf_rows* residual,
                              const gf_rows* y) {
  using namespace gatefold;
  if (!ffn || !x || !residual || !y)
    return failed(GF_INVALID_ARGUMENT, "gf_ffn_run_residual: a null pointer");
  if (!ffn->table->has_residual) {
    return failed(GF_INVALID_ARGUMENT,
                  "gf_ffn_run_residual: library '%s' was generated without a residual, wanted "
                  "gf_ffn_run",
                  ffn->table->library);
  }
  return run(*ffn, {*x, residual, *y});
}
