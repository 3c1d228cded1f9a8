#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuning/store.h"

namespace gatefold {

/// One line of the report: the fastest configuration of a cell, and what is known of the others.
struct ReportCell {
  WorkloadKey key;
  int64_t rows = 0;
  std::string winner, origin, runner_up, bound, at;
  double median_ms = 0;
  std::optional<double> margin_pct;
  std::optional<double> speedup;     ///< default point's time / winner's
  std::optional<double> vs_unfused;  ///< unfused time / winner's
  std::optional<double> efficiency;
  std::optional<double> joint_cost_pct;  ///< of one packing for all row counts
  bool stale = false;                    ///< of another generator or Halide than this program's
};

bool same_workload(const WorkloadKey& a, const WorkloadKey& b);

/// The newest race of each cell, in the order of the store's newest.
std::vector<ReportCell> report_cells(const std::vector<StoredRace>& races);

}  // namespace gatefold
