#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuning/transfer.h"

namespace gatefold {

inline constexpr size_t kMostDistilled = 8;
inline constexpr double kMostLoss = 0.05;

/// What a cell loses with the chosen points instead of its own best.
struct DistilledCell {
  WorkloadKey key;
  int64_t rows = 0;
  std::string point;           ///< the chosen one that is best here; empty if none was timed here
  std::optional<double> loss;  ///< 0.03: 3 % slower than the cell's best; nothing if not known
};

/// The few points that serve all cells of a target and dtype under one packing.
struct Distilled {
  Target target = Target::x86_avx2;
  std::string dtypes, packing;
  std::vector<std::string> points;  ///< at most kMostDistilled, the most useful first
  std::vector<DistilledCell> cells;
  std::vector<DistilledCell> uncovered;  ///< no chosen point is known to be near enough to the best
  std::optional<double> worst, mean;     ///< losses, of the cells where one is known
};

/// For each target, dtypes and packing: by greedy cover the points with which each cell is at most
/// `most_loss` slower than its best. A point counts only where it was timed.
std::vector<Distilled> distil(const std::vector<MeasuredCell>& cells, size_t most = kMostDistilled,
                              double most_loss = kMostLoss);

}  // namespace gatefold
