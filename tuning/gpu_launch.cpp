#include "spec/error.h"
#include "tuning/gpu_launch_parts.h"

namespace gatefold {

namespace gpu {

double rows_bytes(const KernelSpec& k) {
  return double(k.rows.tuned_rows) * double(k.ffn.shape.d_model) * info(k.ffn.act()).bytes;
}

double output_bytes(const KernelSpec& k) { return (k.ffn.residual ? 2 : 1) * rows_bytes(k); }

}  // namespace gpu

std::vector<GpuLaunch> launches_of(const DevicePoint& point, int64_t l2_bytes) {
  const KernelSpec& k = point.kernel;
  if (!k.ffn.shape.fixed()) {
    fail_usage("sizes: " + k.ffn.shape.text() + ", wanted fixed ones: estimates are of one block");
  }
  if (point.tensor_core) return gpu::tensor_core_launches(k, *point.tensor_core, l2_bytes);
  return gpu::thread_launches(k, l2_bytes);
}

double least_memory_bytes(const KernelSpec& k) {
  const double weights = double(k.ffn.variant.matrices()) * double(k.ffn.shape.d_model) *
                         double(k.ffn.shape.d_ff) * info(k.ffn.dtype).bytes;
  return weights + gpu::rows_bytes(k) + gpu::output_bytes(k);
}

double least_flops(const KernelSpec& k) {
  return 2.0 * double(k.rows.tuned_rows) * double(k.ffn.variant.matrices()) *
         double(k.ffn.shape.d_model) * double(k.ffn.shape.d_ff);
}

}  // namespace gatefold
