#pragma once

#include "tuning/strategies/descent_strategy.h"

namespace gatefold {

/// Coordinate descent: one tunable after the other, on with the one that just helped. From an
/// optimum to a random start.
class CoordinateStrategy : public DescentStrategy {
 public:
  explicit CoordinateStrategy(const StrategyInput& input) : DescentStrategy(input, "coordinate") {}

 private:
  void order(std::vector<Move>& moves, const std::optional<Move>& last) override;
  std::optional<PointId> restart(size_t bucket, PointId optimum) override;
};

}  // namespace gatefold
