#pragma once

#include <string>
#include <vector>

#include "tuning/search_space.h"
#include "tuning/trial_runner.h"
#include "tuning/tune.h"

namespace gatefold {

/// Asks the request's strategy, measures and tells it until trials, time or space end, or, under a
/// budget alone, until nothing is left to win; a note says so.
void search(const TuneRequest& request, const SearchSpace& space, TrialRunner& runner,
            std::vector<std::string>& notes);

}  // namespace gatefold
