#pragma once

#include <string>
#include <vector>

#include "spec/dtype.h"
#include "spec/point.h"
#include "spec/shape.h"
#include "spec/target.h"
#include "spec/variant.h"

namespace gatefold {

/// The description of one FFN: what a library computes, whatever its schedule.
struct FfnSpec {
  Variant variant;
  DType dtype = DType::f32;
  Shape shape;
  bool bias = false;
  bool residual = false;  ///< y = residual + FFN(x), the residual an input of each call
};

/// Everything that decides the code of one kernel.
struct KernelSpec {
  FfnSpec ffn;
  Target target = Target::x86_avx2;
  RowBucket rows;
  Packing packing;
  SchedulePoint point;
};

/// Raised whenever emitted code changes meaning or speed; records of another version are stale.
inline constexpr int kGeneratorVersion = 1;
inline constexpr const char* kHalideVersion = "21.0.0";

/// What the block has beside its matrices: "", "_bias", "_residual" or "_bias_residual" in names,
/// and in sentences "", " with biases", " with a residual" or " with biases and a residual".
std::string name_suffix(const FfnSpec& ffn);
std::string additions(const FfnSpec& ffn);

/// C identifier, e.g. "ffn_swiglu_f32_4096x11008_avx2_rows_5_16".
std::string kernel_name(const KernelSpec& kernel);

}  // namespace gatefold
