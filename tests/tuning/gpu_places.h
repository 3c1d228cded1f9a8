#pragma once

#include "schedules/space.h"
#include "tuning/device_point.h"

namespace gatefold::test {

/// A kernel of a CUDA target under its default packing, for rows of one number.
inline KernelSpec gpu_place(DType dtype, int64_t rows, Shape shape = {4096, 11008},
                            const char* variant = "swiglu", Target target = Target::cuda_sm80) {
  const FfnSpec ffn{variant_named(variant), dtype, shape};
  return {ffn, target, {rows, rows, rows}, legal_packings(ffn, target).front(), {}};
}

inline DevicePoint thread_point(DType dtype, int64_t rows, const char* point) {
  DevicePoint p{gpu_place(dtype, rows), {}};
  p.kernel.point = parse_point(point);
  return p;
}

inline DevicePoint tensor_point(int64_t rows, const TensorCorePoint& point) {
  return {gpu_place(DType::bf16, rows), point};
}

}  // namespace gatefold::test
