#include "tuning/strategies/seeded_strategy.h"

namespace gatefold {

SeededStrategy::SeededStrategy(const StrategyInput& input)
    : ledger_(input), random_(input.seed), seeds_(seeds_of(ledger_, input)) {}

std::optional<Candidate> SeededStrategy::ask() {
  while (!seeds_.empty()) {
    const Seed seed = seeds_.front();
    seeds_.pop_front();
    const bool base = seed.proposer == "default";
    if (base ? ledger_.asked(seed.bucket, seed.id) : !ledger_.open(seed.bucket, seed.id)) continue;
    return ledger_.ask(seed.bucket, seed.id, seed.proposer);
  }
  for (size_t tried = 0; tried < ledger_.buckets(); ++tried) {
    const size_t bucket = next_bucket_;
    next_bucket_ = (next_bucket_ + 1) % ledger_.buckets();
    if (const auto proposal = propose(bucket)) {
      return ledger_.ask(bucket, proposal->id, proposal->proposer);
    }
  }
  return std::nullopt;
}

}  // namespace gatefold
