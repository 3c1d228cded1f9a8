#pragma once

#include <set>
#include <string>
#include <vector>

#include "accuracy/accuracy.h"
#include "accuracy/accuracy_cases.h"

namespace gatefold {

/// Runs all cases of one block on one target, with each of the thread counts; `edges`: with the
/// most threads also where every tensor is at an edge of memory that nothing may touch (EdgeCheck).
std::vector<AccuracyCell> check_block(const LoadedLibrary& library, const FfnData& data,
                                      const std::string& target,
                                      const std::vector<AccuracyCase>& cases,
                                      const std::set<int>& thread_counts, bool edges);

}  // namespace gatefold
