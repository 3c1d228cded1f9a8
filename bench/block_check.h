#pragma once

#include <set>
#include <string>
#include <vector>

#include "bench/accuracy.h"
#include "bench/accuracy_cases.h"

namespace gatefold {

/// Runs all cases of one block on one target, with each of the thread counts.
std::vector<AccuracyCell> check_block(const LoadedLibrary& library, const FfnData& data,
                                      const std::string& target,
                                      const std::vector<AccuracyCase>& cases,
                                      const std::set<int>& thread_counts);

}  // namespace gatefold
