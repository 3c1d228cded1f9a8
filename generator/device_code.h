#pragma once

#include <Halide.h>

#include <string>

namespace gatefold {

/// The text of the PTX that a module brings along; empty if it has no CUDA kernels.
std::string ptx_of(const Halide::Module& module);

/// States in the PTX what Halide 21 does not. How many threads a block of each kernel has: ptxas
/// else either gives registers for blocks of 1024 threads, or more than a block of this size can
/// have. And the shared memory of a launch, which Halide's code takes to begin at address 0: PTX
/// does not say so, and devices from 8.0 on keep 1 KiB of each block for themselves.
void complete_ptx(const Halide::Module& module);

}  // namespace gatefold
