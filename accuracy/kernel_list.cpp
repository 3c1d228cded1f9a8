#include "accuracy/kernel_list.h"

#include "runtime/table.h"

namespace gatefold {

std::vector<const gf_kernel*> all_kernels(const gf_kernel_table& table) {
  std::vector<const gf_kernel*> kernels;
  for (int i = 0; i < table.kernel_count; ++i) kernels.push_back(&kernel_at(table, i));
  return kernels;
}

}  // namespace gatefold
