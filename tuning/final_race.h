#pragma once

#include <optional>
#include <vector>

#include "tuning/race_decision.h"
#include "tuning/store.h"
#include "tuning/trial_runner.h"

namespace gatefold {

inline constexpr int kFewestRaceRounds = 5, kMostRaceRounds = 40;

/// Times the best few of each row bucket against the default and our own unfused pipeline, in
/// interleaved rounds, and decides. Ends about when `runner` has run for `end_s`; without one,
/// takes about 20 s. Nothing if it was stopped; an error if a bucket has no schedule that runs.
std::optional<RaceRecord> run_final_race(TrialRunner& runner, const SearchSpace& space,
                                         std::optional<double> end_s);

/// What the race takes at least, as far as the defaults' times tell: searching must leave it.
double least_race_seconds(const TrialBook& book, const SearchSpace& space);

}  // namespace gatefold
