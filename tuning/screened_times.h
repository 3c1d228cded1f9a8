#pragma once

#include <utility>
#include <vector>

#include "tuning/store.h"

namespace gatefold {

/// The stored trials of a bucket, each with its screened_ms (NaN if it failed): what
/// TrialBook::screened_ms gives, for those who have no search space. Pointers into `trials`.
std::vector<std::pair<const TrialRecord*, double>> screened_times(
    const std::vector<TrialRecord>& trials, const RowBucket& bucket);

}  // namespace gatefold
