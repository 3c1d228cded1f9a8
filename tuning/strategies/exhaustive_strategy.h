#pragma once

#include <deque>
#include <vector>

#include "tuning/space_index.h"
#include "tuning/strategy.h"

namespace gatefold {

/// Every legal point of every packing, whatever the answers: the defaults first, which the others
/// are measured against, then place by place in the order of legal_points().
class ExhaustiveStrategy : public Strategy {
 public:
  explicit ExhaustiveStrategy(const StrategyInput& input);

  std::optional<Candidate> ask() override;
  void tell(const Candidate&, double) override {}

 private:
  std::shared_ptr<SpaceIndex> index_;
  std::deque<Candidate> defaults_;
  size_t bucket_ = 0;
  PointId next_ = 0;
};

}  // namespace gatefold
