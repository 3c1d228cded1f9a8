#pragma once

#include <vector>

#include "tuning/search_space.h"
#include "tuning/winners.h"

namespace gatefold {

/// For each row bucket the winners of the most similar workloads that are legal here, nearest
/// first: by row count, sizes and threads, for the same target, dtypes and number of matrices,
/// under a packing with the same panels. Where a search may begin.
std::vector<Candidate> nearest_known(const SearchSpace& space, const std::vector<WinnerSet>& sets,
                                     int threads);

}  // namespace gatefold
