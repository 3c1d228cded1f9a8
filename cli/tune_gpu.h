#pragma once

#include <string>

#include "cli/spec_options.h"

namespace gatefold::cli {

struct GpuOptions {
  std::string gpu, ptxas, export_file;
  int top = 0;  ///< how many points of each generator to show beside the best one
  bool json = false;
};

/// `tune --gpu`: the points that the model thinks fastest on a GPU that is not at hand.
int tune_for_gpu(const Spec& spec, Target target, const GpuOptions& options);

}  // namespace gatefold::cli
