#pragma once

#include <optional>
#include <vector>

#include "tuning/race.h"
#include "tuning/search_space.h"

namespace gatefold {

/// One schedule in the final race of a row bucket.
struct RaceEntry {
  Candidate candidate;
  bool is_default = false;  ///< the default point of its packing
  bool is_unfused_control = false;
  std::vector<double> samples;  ///< ms by round
  double median_ms() const;
};

struct CellDecision {
  size_t winner = 0;           ///< entries' number
  std::optional<size_t> base;  ///< the default point of the default packing
  std::optional<size_t> unfused;
  std::optional<size_t> runner_up;
  std::optional<double> margin_pct;
  std::optional<Paired> against_default;  ///< winner / base; nothing without a base
};

struct Decision {
  size_t packing = 0;
  std::vector<CellDecision> cells;  ///< by row bucket
};

/// One packing for all buckets, then each bucket's winner under it. Packing `favourite` replaces
/// the default one only if its winners are faster than the default packing's winners beyond doubt
/// in the geometric mean over the buckets, and slower beyond doubt in none; or if the default one
/// does not run for all buckets. Under the default packing a point replaces the default by
/// decide_race. Each list must hold an entry of the favourite. `forced`: it is taken anyway.
Decision decide(const std::vector<std::vector<RaceEntry>>& buckets, size_t favourite,
                bool forced = false);

}  // namespace gatefold
