#pragma once

#include <string>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold {

/// One step from the naive kernel to the shipped one: the same algorithm, another schedule.
struct LadderStep {
  std::string name;
  std::string schedule;  ///< what ladder_schedule() knows it by
  std::string change;    ///< against the step before, in one line
  std::string reason;    ///< why that helps, in a few sentences
  KernelSpec kernel;

  /// The schedule point; empty where no point makes the schedule.
  std::string point() const;
};

/// The six steps that lead to this kernel. All have its packing, so that they read the same
/// weights. Throws Error if a step would not be legal.
std::vector<LadderStep> ladder_to(const KernelSpec& shipped);

/// For comparison: the naive step's algorithm, scheduled by Halide's autoscheduler.
LadderStep autoscheduled(const LadderStep& naive);

}  // namespace gatefold
