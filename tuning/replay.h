#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuning/recorded_space.h"
#include "tuning/strategy.h"

namespace gatefold {

/// Runs strategies on a recorded space as the tuner would, with the recorded times as answers.
class Replay {
 public:
  /// Points that are not legal any more are left out; legal ones that were not recorded answer as
  /// failed. Neither is an error, `notes` tells how many. No point left that ran is an error.
  Replay(const RecordedSpace& recorded, const std::string& file, const CostModel& model = {});
  Replay(const Replay&) = delete;  // the index refers to the space
  Replay& operator=(const Replay&) = delete;

  /// Time of the best of `trials` / time of the best there is; infinite if none of them ran.
  double regret(const std::string& strategy, uint64_t seed, int trials) const;

  size_t points() const { return points_; }  ///< recorded ones that are legal
  double optimum_ms() const { return optimum_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void enter(const RecordedSpace& recorded, const std::string& file);

  SearchSpace space_;
  std::shared_ptr<SpaceIndex> index_;
  std::vector<double> ms_;  ///< by point; NaN if it failed or was not recorded
  size_t points_ = 0;
  double optimum_ = 0;
  std::vector<std::string> notes_;
};

/// One cell of the table that compares strategies.
struct ReplayCell {
  std::string strategy;
  int trials = 0;
  double median = 0, p90 = 0;  ///< of time / optimum, over the seeds
};

struct ReplayRequest {
  std::vector<std::string> strategies;
  std::vector<int> trials;
  int seeds = 20;
};

std::vector<ReplayCell> replay_cells(const Replay& replay, const ReplayRequest& request);

/// By linear interpolation between the sorted values.
double quantile(std::vector<double> values, double share);

}  // namespace gatefold
