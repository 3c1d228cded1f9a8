#pragma once

#include <optional>
#include <string>
#include <string_view>
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
  DType dtype = DType::f32;  ///< of the weights, and of x and y unless act_dtype says otherwise
  Shape shape;
  bool bias = false;
  bool residual = false;  ///< y = residual + FFN(x), the residual an input of each call
  std::optional<DType> act_dtype = {};  ///< of x and y; only ever f32 beside 16-bit weights
  DType accumulate = DType::f32;        ///< of the sums; f16 only ever where all else is f16

  DType act() const { return act_dtype.value_or(dtype); }
  /// "bf16"; "bf16_f32" with f32 activations; "f16_acc16" with sums in f16.
  std::string dtypes() const;
};

/// With sums in f16, this many products at most are added up before the sum goes on in f32: from
/// 2048 equal ones on a sum in f16 does not grow any more.
inline constexpr int kMostProductsInF16 = 256;

/// Sets act_dtype; a usage error (naming `flag`) unless `act` is `ffn.dtype` or f32.
void set_act_dtype(FfnSpec& ffn, DType act, const char* flag = "--act-dtype");

/// Sets accumulate; a usage error (naming `flag`) unless it is f32, or f16 and all else is f16 too.
void set_accumulate(FfnSpec& ffn, DType accumulate, const char* flag = "--accumulate");

/// Sets all types from what FfnSpec::dtypes() gives.
void set_dtypes(FfnSpec& ffn, std::string_view text);

/// Whether a kernel multiplies pairs of bf16 by the target's dot instruction: that rounds what it
/// multiplies, so f32 activations are multiplied in f32.
bool uses_bf16_dot(const FfnSpec& ffn, Target target);

/// Type of the hidden layer between the two projections: f32 except where the down projection
/// multiplies in 16 bits (bf16 by the dot instruction, f16 where it sums in f16).
DType hidden_dtype(const FfnSpec& ffn, Target target);

/// The same of a library's kernel, by the point that its table names: tensor cores multiply in 16
/// bits.
DType hidden_dtype(const FfnSpec& ffn, Target target, std::string_view point);

/// Everything that decides the code of one kernel.
struct KernelSpec {
  FfnSpec ffn;
  Target target = Target::x86_avx2;
  RowBucket rows;
  Packing packing;
  SchedulePoint point;
};

/// Lanes of one register of the kernel's sums.
int sum_lanes(const KernelSpec& kernel);

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
