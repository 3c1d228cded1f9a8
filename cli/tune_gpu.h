#pragma once

#include <string>

#include "cli/spec_options.h"

namespace gatefold::cli {

struct GpuOptions {
  std::string gpu, ptxas, export_file;
  bool json = false;
};

/// `tune --gpu`: the points that the model thinks fastest on a GPU that is not at hand.
int tune_for_gpu(const Spec& spec, Target target, const GpuOptions& options);

}  // namespace gatefold::cli
