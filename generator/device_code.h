#pragma once

#include <Halide.h>

#include <string>

namespace gatefold {

/// The text of the PTX that a module brings along; empty if it has no CUDA kernels.
std::string ptx_of(const Halide::Module& module);

/// States in the PTX how many threads a block of each kernel has. Halide 21 does not: ptxas then
/// either gives registers for blocks of 1024 threads, or more than a block of this size can have.
void declare_block_sizes(const Halide::Module& module);

}  // namespace gatefold
