#include "spec/ffn_spec.h"

#include "spec/error.h"

namespace gatefold {

namespace {

constexpr const char* kSumsInF16 = "acc16";

}  // namespace

std::string FfnSpec::dtypes() const {
  if (accumulate == DType::f16) return info(dtype).name + "_" + kSumsInF16;
  return act() == dtype ? info(dtype).name : info(dtype).name + "_" + info(act()).name;
}

void set_act_dtype(FfnSpec& ffn, DType act, const char* flag) {
  if (act != ffn.dtype && act != DType::f32) {
    fail_usage(std::string(flag) + ": '" + info(act).name + "' with weights in " +
               info(ffn.dtype).name + ", wanted " + info(ffn.dtype).name + " or f32");
  }
  ffn.act_dtype.reset();
  if (act != ffn.dtype) ffn.act_dtype = act;
}

void set_accumulate(FfnSpec& ffn, DType accumulate, const char* flag) {
  const bool half = ffn.dtype == DType::f16 && ffn.act() == DType::f16;
  if (accumulate != DType::f32 && !(accumulate == DType::f16 && half)) {
    fail_usage(std::string(flag) + ": '" + info(accumulate).name + "' with weights in " +
               info(ffn.dtype).name + " and x and y in " + info(ffn.act()).name + ", wanted f32" +
               (half ? " or f16" : ""));
  }
  ffn.accumulate = accumulate;
}

void set_dtypes(FfnSpec& ffn, std::string_view text) {
  const size_t parted = text.find('_');
  ffn.dtype = dtype_named(text.substr(0, parted));
  ffn.act_dtype.reset();
  ffn.accumulate = DType::f32;
  if (parted == std::string_view::npos) return;
  const std::string_view rest = text.substr(parted + 1);
  if (rest == kSumsInF16) return set_accumulate(ffn, DType::f16, "dtype");
  set_act_dtype(ffn, dtype_named(rest), "dtype");
}

bool uses_bf16_dot(const FfnSpec& ffn, Target target) {
  return ffn.dtype == DType::bf16 && ffn.act() == DType::bf16 && info(target).bf16 == Bf16Path::dot;
}

DType hidden_dtype(const FfnSpec& ffn, Target target) {
  if (ffn.accumulate == DType::f16) return DType::f16;
  return uses_bf16_dot(ffn, target) ? DType::bf16 : DType::f32;
}

DType hidden_dtype(const FfnSpec& ffn, Target target, std::string_view point) {
  return is_tensor_core_point(point) ? ffn.dtype : hidden_dtype(ffn, target);
}

int sum_lanes(const KernelSpec& k) {
  return info(k.target).vector_lanes * (k.ffn.accumulate == DType::f16 ? 2 : 1);
}

std::string name_suffix(const FfnSpec& ffn) {
  return std::string(ffn.bias ? "_bias" : "") + (ffn.residual ? "_residual" : "");
}

std::string additions(const FfnSpec& ffn) {
  if (!ffn.residual) return ffn.bias ? " with biases" : "";
  return ffn.bias ? " with biases and a residual" : " with a residual";
}

std::string kernel_name(const KernelSpec& k) {
  std::string target = info(k.target).name;
  target.erase(0, target.find('-') + 1);  // the architecture: a library holds kernels of one
  for (char& c : target) c = c == '-' ? '_' : c;
  std::string rows = "rows_" + std::to_string(k.rows.rows_min);
  rows += k.rows.rows_max == RowBucket::kOpen ? "_up" : "_" + std::to_string(k.rows.rows_max);
  return "ffn_" + k.ffn.variant.name + "_" + k.ffn.dtypes() + "_" + k.ffn.shape.text() +
         name_suffix(k.ffn) + "_" + target + "_" + rows;
}

}  // namespace gatefold
