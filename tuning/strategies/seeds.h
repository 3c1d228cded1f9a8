#pragma once

#include <deque>
#include <string>
#include <vector>

#include "tuning/strategies/ledger.h"

namespace gatefold {

struct Seed {
  size_t bucket;
  PointId id;
  std::string proposer;  ///< "default", "model", "spread" or "known"
};

/// What to try before anything is known, in this order: the default point of every packing and
/// bucket; for each bucket in turn the points that the cost model likes best, chosen to differ, or
/// without a model points spread over the space; the known winners. A small budget cuts the middle
/// part short, so that half of it is left to search with.
std::deque<Seed> seeds_of(Ledger& ledger, const StrategyInput& input);

/// Up to `count` of `pool`, each in turn the one that differs most from all chosen before; the
/// first of equal ones. `chosen` is what counts as chosen at first.
std::vector<PointId> most_different(const BucketPoints& points, const std::vector<PointId>& pool,
                                    std::vector<PointId> chosen, size_t count);

}  // namespace gatefold
