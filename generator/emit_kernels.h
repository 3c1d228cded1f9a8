#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "generator/library.h"

namespace gatefold {

/// What the emitters made of a plan's kernels.
struct EmittedKernels {
  std::vector<std::string> objects;  ///< by Halide
  std::vector<std::string> sources;  ///< C, of kernels on tensor cores: the call, with its PTX
};

/// Runs an emitter for each kernel, whose files go into `folder`. Throws EmitFailure, or Error once
/// `options.stop` is set.
EmittedKernels emit_kernels(const LibraryPlan& plan, const LibraryOptions& options,
                            const std::filesystem::path& folder);

}  // namespace gatefold
