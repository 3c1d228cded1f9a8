#pragma once

#include <vector>

#include "tuning/store.h"

namespace gatefold {

/// Fills in what the packing that all buckets of the race share costs each of them: how much slower
/// its best trial under that packing is than its best under any. 0 if none is faster, nothing if no
/// other packing has a time or the race's has none.
void add_joint_costs(RaceRecord& race, const std::vector<TrialRecord>& trials);

/// The store's races, newest first. Those of another generator or Halide have no costs: what their
/// trials' points meant is not known.
std::vector<StoredRace> races_with_joint_costs(Store& store);

}  // namespace gatefold
