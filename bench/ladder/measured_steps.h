#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuning/roof.h"
#include "tuning/worker_protocol.h"

namespace gatefold {

/// What a step's kernel did in the rounds that it shared with the others.
struct StepFigures {
  bool ok = false;   ///< its output is right and its time possible
  std::string note;  ///< why not
  double rel_l2 = 0;
  int samples = 0;
  double median_ms = 0, gflops = 0;
  std::optional<double> efficiency;  ///< none where weights are warm
};

struct LadderFigures {
  Roof roof;  ///< what a quarter of the slices of the same rounds reach
  int copies = 0;
  bool cold = false;
  std::vector<StepFigures> steps;
};

/// Checks each library of the request against the reference and times it in interleaved rounds,
/// slow ones only in some of them, for `seconds` in all but each at least three times. Holds the
/// measuring lock meanwhile. Throws Error if a library cannot be loaded.
LadderFigures measure_steps(const MeasureRequest& request, double seconds,
                            const std::function<void(const std::string&)>& progress);

}  // namespace gatefold
