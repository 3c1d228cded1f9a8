#pragma once

#include <functional>
#include <vector>

#include "tuning/contestant.h"

namespace gatefold {

struct SamplingEvents {
  std::function<void()> round;             ///< begins
  std::function<void(int index)> running;  ///< is next: called before each sample, must be cheap
};

/// Rounds of one sample for each contestant in the race.
void sample_rounds(std::vector<Contestant>& contestants, const MeasureRequest& request,
                   const StoredInputs& inputs, const SamplingEvents& events);

/// Medians, and ratios against the first of them, the anchor, in the same rounds.
void summarise(std::vector<TrialResult>& results);

}  // namespace gatefold
