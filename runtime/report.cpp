#include <algorithm>
#include <cstddef>
#include <cstring>

#include "runtime/ffn.h"
#include "runtime/status.h"

namespace gatefold {
namespace {

gf_report make_report(const gf_ffn& ffn) {
  const auto [index, rows] = unpack_last_call(ffn.last_call.load());
  const Bucket& bucket = ffn.buckets[index];
  const BucketChoice& choice = bucket.choice;
  const gf_kernel& kernel = *choice.kernel;
  const bool inside = rows == 0 || distance_to_bucket(choice.rows_min, choice.rows_max, rows) == 0;
  gf_report r = {};
  r.threads = ffn.executor.threads;
  r.kernel = kernel.name;
  r.isa = kernel.target;
  r.point = kernel.point;
  r.origin = kernel.origin;
  r.match = match_name(*ffn.table, ffn.target, inside);
  r.runner_up = kernel.runner_up;
  r.margin_pct = kernel.margin_pct;
  r.efficiency = kernel.efficiency;
  r.tuned_median_ms = kernel.median_ms;
  r.first_call_ms = bucket.first_ms.load();
  r.last_call_ms = ffn.last_ms.load();
  r.calls = ffn.calls.load();
  r.rows = rows;
  r.packed_weight_bytes = ffn.packed_bytes;
  r.workspace_bytes = ffn.workspace_bytes.load();
  r.device_ms = ffn.device_ms.load();
  return r;
}

}  // namespace
}  // namespace gatefold

gf_status gf_ffn_report(const gf_ffn* ffn, gf_report* out) {
  using namespace gatefold;
  if (!ffn || !out) return failed(GF_INVALID_ARGUMENT, "gf_ffn_report: a null pointer");
  constexpr size_t kOldest = offsetof(gf_report, device_ms);
  if (out->struct_size < kOldest) {
    return failed(GF_INVALID_ARGUMENT, "report: struct_size %u, wanted at least %zu",
                  out->struct_size, kOldest);
  }
  gf_report report = make_report(*ffn);
  report.struct_size = out->struct_size;
  std::memcpy(out, &report, std::min<size_t>(report.struct_size, sizeof report));
  return GF_OK;
}
