#include "spec/ffn_spec.h"

namespace gatefold {

std::string kernel_name(const KernelSpec& k) {
  std::string target = info(k.target).name.substr(4);  // after "x86-"
  for (char& c : target) c = c == '-' ? '_' : c;
  std::string rows = "rows_" + std::to_string(k.rows.rows_min);
  rows += k.rows.rows_max == RowBucket::kOpen ? "_up" : "_" + std::to_string(k.rows.rows_max);
  return "ffn_" + k.ffn.variant.name + "_" + info(k.ffn.dtype).name + "_" + k.ffn.shape.text() +
         (k.ffn.bias ? "_bias_" : "_") + target + "_" + rows;
}

}  // namespace gatefold
