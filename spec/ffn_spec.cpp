#include "spec/ffn_spec.h"

#include "spec/error.h"

namespace gatefold {

std::string FfnSpec::dtypes() const {
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

void set_dtypes(FfnSpec& ffn, std::string_view text) {
  const size_t parted = text.find('_');
  ffn.dtype = dtype_named(text.substr(0, parted));
  ffn.act_dtype.reset();
  if (parted != std::string_view::npos)
    set_act_dtype(ffn, dtype_named(text.substr(parted + 1)), "dtype");
}

bool uses_bf16_dot(const FfnSpec& ffn, Target target) {
  return ffn.dtype == DType::bf16 && ffn.act() == DType::bf16 && info(target).bf16 == Bf16Path::dot;
}

DType hidden_dtype(const FfnSpec& ffn, Target target) {
  return uses_bf16_dot(ffn, target) ? DType::bf16 : DType::f32;
}

std::string name_suffix(const FfnSpec& ffn) {
  return std::string(ffn.bias ? "_bias" : "") + (ffn.residual ? "_residual" : "");
}

std::string additions(const FfnSpec& ffn) {
  if (!ffn.residual) return ffn.bias ? " with biases" : "";
  return ffn.bias ? " with biases and a residual" : " with a residual";
}

std::string kernel_name(const KernelSpec& k) {
  std::string target = info(k.target).name.substr(4);  // after "x86-"
  for (char& c : target) c = c == '-' ? '_' : c;
  std::string rows = "rows_" + std::to_string(k.rows.rows_min);
  rows += k.rows.rows_max == RowBucket::kOpen ? "_up" : "_" + std::to_string(k.rows.rows_max);
  return "ffn_" + k.ffn.variant.name + "_" + k.ffn.dtypes() + "_" + k.ffn.shape.text() +
         name_suffix(k.ffn) + "_" + target + "_" + rows;
}

}  // namespace gatefold
