#include "runtime/kernel_call.h"

#include <algorithm>

#include "runtime/status.h"

namespace gatefold {
namespace {

// Halide indexes and sizes its buffers with 32-bit numbers, so a long call goes in pieces. A GiB
// per buffer also bounds the workspace.
constexpr int64_t kMaxPieceElements = int64_t{1} << 28;

}  // namespace

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

int64_t piece_rows(const gf_ffn& ffn, const Call& call, int64_t limit) {
  const int64_t of_residual = call.residual ? stride_of(*call.residual) : 0;
  const int64_t widest = std::max({ffn.widest, stride_of(call.x), stride_of(call.y), of_residual});
  const int64_t most = std::clamp<int64_t>(kMaxPieceElements / widest, 1, limit);
  return ceil_div(call.x.rows, ceil_div(call.x.rows, most));
}

gf_status kernel_failure(const gf_kernel& kernel, const CallContext& context, int code) {
  if (context.pool_failed.load()) return GF_PARALLEL_FOR_FAILED;
  if (context.out_of_memory.load())
    return failed(GF_OUT_OF_MEMORY, "kernel '%s': no memory for its workspace", kernel.name);
  return failed(GF_KERNEL_FAILED, "kernel '%s': error %d%s%s", kernel.name, code,
                context.message[0] ? ": " : "", context.message);
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

}  // namespace gatefold
