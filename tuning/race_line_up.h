#pragma once

#include <vector>

#include "tuning/race_decision.h"
#include "tuning/trial_book.h"

namespace gatefold {

/// The packing with the best geometric mean of screened times; the default one if it is within 1 %.
size_t favourite_packing(const TrialBook& book, const SearchSpace& space);

/// Who races for one bucket: the default, of another favourite packing its default too, the
/// unfused control, and the best of what was tried.
std::vector<RaceEntry> line_up(const TrialBook& book, const SearchSpace& space, size_t bucket,
                               size_t favourite);

}  // namespace gatefold
