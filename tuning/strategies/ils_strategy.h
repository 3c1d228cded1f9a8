#pragma once

#include "tuning/strategies/descent_strategy.h"

namespace gatefold {

/// Iterated local search: from each optimum a few random steps away from the best optimum so far,
/// and down again from there.
class IlsStrategy : public DescentStrategy {
 public:
  explicit IlsStrategy(const StrategyInput& input)
      : DescentStrategy(input, "ils"), best_(input.space.buckets.size()) {}

 private:
  void order(std::vector<Move>& moves, const std::optional<Move>& last) override;
  std::optional<PointId> restart(size_t bucket, PointId optimum) override;

  std::vector<std::optional<PointId>> best_;  ///< optimum by bucket
};

}  // namespace gatefold
