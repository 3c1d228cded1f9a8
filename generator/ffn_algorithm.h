#pragma once

#include "schedules/ffn_stages.h"

namespace gatefold {

/// The one algorithm of every block, dtype and target. It holds no scheduling directive: the
/// kernel's packing and point enter only as the index arithmetic of packed weights and tiles.
FfnStages ffn_algorithm(const KernelSpec& kernel);

/// The input buffers of the emitted function, the residual last.
std::vector<Halide::ImageParam> kernel_inputs(const FfnStages& stages);
/// All its inputs in the order of runtime/include/gatefold/kernel_table.h.
std::vector<Halide::Argument> kernel_arguments(const FfnStages& stages);

}  // namespace gatefold
