#pragma once

#include <vector>

#include "gatefold/gatefold.h"

namespace gatefold {

/// A table's kernels in its order, read with the runtime's own stride.
std::vector<const gf_kernel*> all_kernels(const gf_kernel_table& table);

}  // namespace gatefold
