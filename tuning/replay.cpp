#include "tuning/replay.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spec/error.h"
#include "tuning/space_index.h"
#include "tuning/trial.h"

namespace gatefold {
namespace {

std::string count_of(size_t points) {
  return std::to_string(points) + (points == 1 ? " point" : " points");
}

}  // namespace

Replay::Replay(const RecordedSpace& recorded, const std::string& file, const CostModel& model)
    : space_(recorded.search_space()),
      index_(std::make_shared<SpaceIndex>(space_, model_of(space_, model, recorded.key.threads))) {
  enter(recorded, file);
  optimum_ = std::numeric_limits<double>::infinity();
  for (double ms : ms_) {
    if (ms < optimum_) optimum_ = ms;
  }
  if (!std::isfinite(optimum_)) fail(file + ": no legal point that ran");
}

void Replay::enter(const RecordedSpace& recorded, const std::string& file) {
  const BucketPoints& points = index_->points(0);
  ms_.assign(points.size(), kUnknown);
  std::vector<bool> known(points.size());
  for (const RecordedPoint& p : recorded.points) {
    const auto packing = std::find(space_.packings.begin(), space_.packings.end(), p.packing);
    const auto number = static_cast<size_t>(packing - space_.packings.begin());
    const auto id = packing == space_.packings.end() ? std::nullopt : points.find(number, p.point);
    if (!id) continue;
    known[*id] = true;
    ms_[*id] = p.ms;
  }
  points_ = static_cast<size_t>(std::count(known.begin(), known.end(), true));
  if (points_ < recorded.points.size()) {
    notes_.push_back(file + ": left out " + count_of(recorded.points.size() - points_) +
                     " that are not legal any more");
  }
  if (points_ < points.size()) {
    notes_.push_back(file + ": " + count_of(points.size() - points_) + " of " +
                     std::to_string(points.size()) + " are not in it and answer as failed");
  }
}

double Replay::regret(const std::string& strategy, uint64_t seed, int trials) const {
  StrategyInput input{space_};
  input.seed = seed;
  input.budget = trials;
  input.index = index_;
  const auto searching = make_strategy(strategy, input);
  double best = std::numeric_limits<double>::infinity();
  for (int asked = 0; asked < trials;) {
    std::vector<std::pair<Candidate, double>> batch;
    while (asked < trials && batch.size() < batch_size(space_)) {
      const std::optional<Candidate> c = searching->ask();
      if (!c) break;
      const double ms = ms_.at(index_->points(0).find(c->packing, c->point).value());
      batch.emplace_back(*c, ms);
      if (ms < best) best = ms;
      ++asked;
    }
    if (batch.empty()) break;
    for (const auto& [candidate, ms] : batch) searching->tell(candidate, ms);
  }
  return best / optimum_;
}

std::vector<ReplayCell> replay_cells(const Replay& replay, const ReplayRequest& request) {
  std::vector<ReplayCell> cells;
  for (const std::string& strategy : request.strategies) {
    for (int trials : request.trials) {
      std::vector<double> regrets;
      for (int seed = 1; seed <= request.seeds; ++seed) {
        regrets.push_back(replay.regret(strategy, static_cast<uint64_t>(seed), trials));
      }
      cells.push_back({strategy, trials, quantile(regrets, 0.5), quantile(regrets, 0.9)});
    }
  }
  return cells;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double at = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  if (below + 1 >= values.size()) return values.back();
  const double part = at - static_cast<double>(below);
  // No weight on an infinite neighbour where none is due: 0 * infinity is no number.
  return part == 0 ? values[below] : values[below] + part * (values[below + 1] - values[below]);
}

}  // namespace gatefold
