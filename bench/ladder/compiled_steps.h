#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/ladder/steps.h"

namespace gatefold {

/// A step as a library of one kernel.
struct CompiledStep {
  std::filesystem::path library;
  std::string loop_nest;  ///< as Halide prints it
};

/// Compiles each step into the folder, by the emitter beside this program. Throws Error.
std::vector<CompiledStep> compile_steps(const std::vector<LadderStep>& steps, int threads,
                                        const std::filesystem::path& folder,
                                        const std::function<void(const std::string&)>& progress);

}  // namespace gatefold
