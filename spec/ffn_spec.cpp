#include "spec/ffn_spec.h"

namespace gatefold {

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
  return "ffn_" + k.ffn.variant.name + "_" + info(k.ffn.dtype).name + "_" + k.ffn.shape.text() +
         name_suffix(k.ffn) + "_" + target + "_" + rows;
}

}  // namespace gatefold
