#pragma once

#include <string>
#include <vector>

#include "generator/library.h"
#include "spec/machine.h"
#include "tuning/code_check.h"

namespace gatefold {

/// What a library shall hold, and where its schedules are from.
struct LibraryRequest {
  std::string name;  ///< empty: default_library_name()
  FfnSpec ffn;
  std::vector<Target> targets;
  std::vector<int64_t> rows;  ///< names the row buckets
  CpuProfile cpu;             ///< the default and the model are made for it
  /// "default", "model" (what the cost model thinks fastest), "tuned" (shipped winners), a database
  /// or file of winners, or a point "mr=6 …".
  std::string schedule = "default";
  CodeCheck check = {};       ///< of the model's choices; none: they are taken as they are
  bool tensor_cores = false;  ///< there is an emitter of kernels for them
};

struct PlannedLibrary {
  LibraryPlan plan;
  std::vector<std::string> notes;  ///< where a kernel did not get the schedule that was asked for
};

/// Every kernel with its schedule. Usage errors name the flag of `generate`.
PlannedLibrary plan_library(const LibraryRequest& request);

/// "ffn_swiglu_bf16_4096x11008_bias"
std::string default_library_name(const FfnSpec& ffn);

}  // namespace gatefold
