#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "spec/ffn_spec.h"

namespace gatefold {

struct FfnStages;

/// Gives the stages of a kernel their schedule.
using Scheduler = std::function<void(FfnStages&)>;

/// Compiles one kernel ahead of time to an object file whose function is named `symbol`, with the
/// argv form `symbol`_argv, without runtime and without checks of its arguments, taking a user
/// context first. `assembly` may be empty; of a CUDA target it is the PTX. Deterministic in a fresh
/// process. Throws Error; LLVM may also abort the process.
void emit_kernel(const KernelSpec& kernel, const std::string& symbol,
                 const std::filesystem::path& object, const std::filesystem::path& assembly);

/// The same by another schedule than the point's; the point still decides how the algorithm indexes
/// its tiles.
void emit_kernel(const KernelSpec& kernel, const Scheduler& scheduler, const std::string& symbol,
                 const std::filesystem::path& object, const std::filesystem::path& assembly);

}  // namespace gatefold
