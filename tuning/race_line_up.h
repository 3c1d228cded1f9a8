#pragma once

#include <vector>

#include "tuning/race_decision.h"
#include "tuning/trial_book.h"

namespace gatefold {

/// The only one searched, else the packing with the best geometric mean of screened times; the
/// default one if it is within 2 %: packings are timed in different requests, so that much is
/// drift.
size_t favourite_packing(const TrialBook& book, const SearchSpace& space);

/// Who races for one bucket: the default, the best few of the favourite packing and, if that is
/// another, of the default packing; with each packing its unfused control.
std::vector<RaceEntry> line_up(const TrialBook& book, const SearchSpace& space, size_t bucket,
                               size_t favourite);

}  // namespace gatefold
