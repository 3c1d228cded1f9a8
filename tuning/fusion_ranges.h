#pragma once

#include <string>
#include <vector>

#include "tuning/race_report.h"

namespace gatefold {

/// Row counts, among those tuned, from one to the next of which the same fusion wins.
struct FusionRange {
  std::string fusion;
  int64_t rows_min = 0, rows_max = 0;
  double vs_unfused = 0;  ///< least of the range, NaN where the control was not timed

  std::string text() const;  ///< "gated at 1 to 64 rows (at least 1.02x unfused)"
};

/// Where one fusion gives way to another, for one workload.
struct FusionRanges {
  WorkloadKey key;
  std::vector<FusionRange> ranges;  ///< by rising row count
};

/// One entry for each workload of the report that is neither stale nor emulated, in its order.
std::vector<FusionRanges> fusion_ranges(const std::vector<ReportCell>& report);

}  // namespace gatefold
