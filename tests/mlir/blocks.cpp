#include "tests/mlir/blocks.h"

#include "schedules/space.h"

namespace gatefold::test {

KernelSpec tensor_core_spec(const std::string& variant, DType dtype, int64_t tuned_rows) {
  KernelSpec spec;
  spec.ffn.variant = variant_named(variant);
  spec.ffn.dtype = dtype;
  spec.target = Target::cuda_sm80;
  spec.rows = {1, RowBucket::kOpen, tuned_rows};
  spec.packing = legal_packings(spec.ffn, spec.target).front();
  return spec;
}

TensorCoreKernel default_kernel(const KernelSpec& spec, int capability) {
  return tensor_core_kernel(spec, default_tensor_core_point(spec), capability, "block");
}

}  // namespace gatefold::test
