#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuning/builder.h"

namespace gatefold {

/// Why the code of each of these kernels is not worth running, or why there is none; nothing where
/// it may be run.
using CodeCheck =
    std::function<std::vector<std::optional<std::string>>(const std::vector<KernelSpec>&)>;

/// Compiles them as the tuner does its candidates, several at once. Each is compiled once.
CodeCheck check_by_compiling(const BuilderOptions& options);

}  // namespace gatefold
