#pragma once

#include <deque>
#include <string>

#include "tuning/strategies/ledger.h"
#include "tuning/strategies/seeds.h"

namespace gatefold {

/// What the searching strategies share: the seeds first, then the buckets in turn.
class SeededStrategy : public Strategy {
 public:
  std::optional<Candidate> ask() final;
  void tell(const Candidate& candidate, double ms) override { ledger_.tell(candidate, ms); }

 protected:
  struct Proposal {
    PointId id;
    std::string proposer;
  };

  explicit SeededStrategy(const StrategyInput& input);

  /// An open point of this bucket; nothing when there is none.
  virtual std::optional<Proposal> propose(size_t bucket) = 0;

  Ledger ledger_;
  SeededRandom random_;

 private:
  std::deque<Seed> seeds_;
  size_t next_bucket_ = 0;
};

}  // namespace gatefold
