#pragma once

#include <memory>
#include <vector>

#include "tuning/strategies/seeded_strategy.h"
#include "tuning/strategies/surrogate.h"

namespace gatefold {

/// The default. Seeds; then a portfolio in turns of eight: four picks of a random forest (by the
/// time hoped for and by promise), three steps from the best points, one random point; in the last
/// quarter of the budget the neighbours of the three best until none is left. Without a number of
/// trials to plan with, every fourth turn is spent on the neighbours.
class ForestStrategy : public SeededStrategy {
 public:
  explicit ForestStrategy(const StrategyInput& input);

 private:
  enum class Role { hoped, promise, step, random };

  std::optional<Proposal> propose(size_t bucket) override;
  bool polishing(size_t bucket) const;
  std::optional<PointId> polish(size_t bucket);
  std::optional<PointId> play(Role role, size_t bucket);
  std::optional<PointId> forest_pick(size_t bucket, bool by_promise);
  std::optional<PointId> step_from_elite(size_t bucket);
  double crowding(size_t bucket, PointId id);
  Surrogate& surrogate(size_t bucket);

  std::optional<int> budget_;
  uint64_t seed_;
  std::vector<std::unique_ptr<Surrogate>> surrogates_;
  std::vector<size_t> turns_;  ///< by bucket
  std::vector<size_t> steps_;  ///< by bucket: from which of the elites the next step goes
};

}  // namespace gatefold
