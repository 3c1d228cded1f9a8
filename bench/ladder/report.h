#pragma once

#include <string>
#include <vector>

#include "bench/ladder/compiled_steps.h"
#include "bench/ladder/measured_steps.h"
#include "bench/ladder/steps.h"

namespace gatefold {

/// All that is known of one run of the ladder; the vectors are parallel.
struct LadderRun {
  MeasureRequest request;
  std::string schedule;  ///< that was asked for
  double seconds = 0;
  std::string origin;  ///< of the shipped point: "tuned", "default" or "given"
  std::vector<LadderStep> steps;
  std::vector<CompiledStep> compiled;
  LadderFigures figures;

  bool ok() const;
};

/// The run in two lines, the table, and each step with its loop nest. Markdown that reads as text.
std::string ladder_text(const LadderRun& run);

/// The page docs/schedule_ladder.md: the template with the run's parts filled in.
std::string ladder_page(const LadderRun& run);

}  // namespace gatefold
