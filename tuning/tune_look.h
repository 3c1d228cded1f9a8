#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuning/importance.h"
#include "tuning/store.h"

namespace gatefold {

/// One of the best of a row count, by its trial.
struct Leader {
  SchedulePoint point;
  std::string proposer;
  double screened_ms = kUnknown;
  double low_ms = kUnknown, high_ms = kUnknown;  ///< of its samples: the fastest and the slowest
  std::optional<double> ratio;                   ///< to the default, in the same rounds
};

/// What was seen at one row count, under the packing that was chosen.
struct RowsLook {
  int64_t rows = 0;
  std::vector<Leader> leaders;       ///< fastest first; of points with the same code one
  std::vector<TunableShare> shares;  ///< which tunables mattered, most first
};

struct FailedKind {
  TrialKind kind = TrialKind::invalid;
  int count = 0;
  std::string first;  ///< the first one's message
};

struct TuneLook {
  std::vector<RowsLook> rows;
  std::vector<FailedKind> failed;  ///< most frequent first, of all packings
};

/// A workload's trials as the end of `tune` shows them. Without a packing only what failed.
TuneLook look_at(const std::vector<TrialRecord>& trials, const std::vector<RowBucket>& buckets,
                 const std::string& packing, size_t leaders = 5);

}  // namespace gatefold
