#pragma once

#include <deque>
#include <vector>

#include "tuning/seeded_random.h"
#include "tuning/standings.h"
#include "tuning/strategy.h"

namespace gatefold {

/// First the default point of every packing, all buckets of one packing after another; then random
/// points without replacement, the buckets in turn, of packings whose best is not 1.25 times
/// behind.
class RandomStrategy : public Strategy {
 public:
  explicit RandomStrategy(const StrategyInput& input);

  std::optional<Candidate> ask() override;
  void tell(const Candidate& candidate, double ms) override;

 private:
  /// The points of one packing and bucket in random order, made when first needed.
  struct Pool {
    bool made = false;
    std::vector<SchedulePoint> left;  ///< taken from the back
  };

  Pool& pool(size_t packing, size_t bucket);
  std::optional<Candidate> ask_bucket(size_t bucket);

  const SearchSpace space_;
  uint64_t seed_;
  SeededRandom random_;
  Standings standings_;
  std::deque<Candidate> seeds_;
  std::vector<std::vector<Pool>> pools_;
  size_t next_bucket_ = 0;
};

}  // namespace gatefold
