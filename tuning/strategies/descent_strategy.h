#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuning/strategies/seeded_strategy.h"

namespace gatefold {

/// Goes from the best known point to a better neighbour until none is better, then starts again.
/// Several proposals may be unanswered: the first neighbours told to be better are gone to, and
/// while answers are awaited at an optimum the next starts are proposed.
class DescentStrategy : public SeededStrategy {
 protected:
  DescentStrategy(const StrategyInput& input, std::string proposer);

  /// The order in which the moves from a point are tried; `last` led there.
  virtual void order(std::vector<Move>& moves, const std::optional<Move>& last) = 0;

  /// An open point to go on from when `optimum` has no better neighbour.
  virtual std::optional<PointId> restart(size_t bucket, PointId optimum) = 0;

  /// The logarithm of its time for the joint objective; infinite if it failed or was not told.
  double value(size_t bucket, PointId id);

 private:
  struct Walk {
    std::optional<PointId> at;
    std::optional<Move> last;
    std::vector<Move> left;       ///< from `at`, not proposed yet; the next one at the back
    std::vector<PointId> starts;  ///< proposed, to go on from
  };

  std::optional<Proposal> propose(size_t bucket) final;
  void go_to(size_t bucket, PointId id, std::optional<Move> last);
  bool go_down(size_t bucket);
  bool go_on(size_t bucket);
  bool awaits_neighbours(size_t bucket);

  std::string proposer_;
  std::vector<Walk> walks_;
};

}  // namespace gatefold
