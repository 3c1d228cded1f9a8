#include <algorithm>

#include "runtime/cuda/run.h"
#include "runtime/fp_environment.h"
#include "runtime/futex.h"
#include "runtime/kernel_call.h"
#include "runtime/status.h"

namespace gatefold {
namespace {

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

gf_status run(gf_ffn& ffn, const Call& call) {
  if (const gf_status status = check_call(ffn, call); status != GF_OK) return status;
  const int64_t rows = call.x.rows;
  if (rows == 0) return GF_OK;
  if (ffn.cuda) return guarded([&] { return cuda::run_on_host_memory(ffn, call); });
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

gf_status gf_ffn_run_cuda(gf_ffn* ffn, const gf_rows* x, const gf_rows* residual, const gf_rows* y,
                          void* stream) {
  using namespace gatefold;
  if (!ffn || !x || !y) return failed(GF_INVALID_ARGUMENT, "gf_ffn_run_cuda: a null pointer");
  if (!ffn->cuda) {
    return failed(GF_INVALID_ARGUMENT, "gf_ffn_run_cuda: the block is for %s, wanted one for CUDA",
                  ffn->target.target);
  }
  if ((residual != nullptr) != (ffn->table->has_residual != 0)) {
    return failed(GF_INVALID_ARGUMENT, "gf_ffn_run_cuda: library '%s' %s, wanted residual %s",
                  ffn->table->library,
                  residual ? "was generated without a residual" : "adds a residual",
                  residual ? "NULL" : "with it");
  }
  const Call call{*x, residual, *y};
  if (const gf_status status = check_call(*ffn, call); status != GF_OK) return status;
  if (x->rows == 0) return GF_OK;
  return guarded(
      [&] { return cuda::run_on_device_memory(*ffn, call, static_cast<cuda::Stream>(stream)); });
}
