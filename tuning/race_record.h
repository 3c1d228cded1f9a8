#pragma once

#include <vector>

#include "tuning/race_decision.h"
#include "tuning/roof.h"
#include "tuning/store.h"
#include "tuning/worker_protocol.h"

namespace gatefold {

/// One bucket after its race.
struct RacedBucket {
  std::vector<RaceEntry> entries;
  MeasureReply reply;  ///< whether the weights were cold
};

/// What is stored of a decided race; `trials` is left to the caller.
RaceRecord race_record(const SearchSpace& space, const std::vector<RacedBucket>& buckets,
                       const Decision& decision, const Roof& roof);

}  // namespace gatefold
