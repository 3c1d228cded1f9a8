#include "tuning/strategies/ils_strategy.h"

namespace gatefold {
namespace {

constexpr int kFewestSteps = 2, kMostSteps = 4, kTries = 20;

}  // namespace

void IlsStrategy::order(std::vector<Move>& moves, const std::optional<Move>&) {
  for (size_t i = moves.size(); i > 1; --i) std::swap(moves[i - 1], moves[random_.below(i)]);
}

std::optional<PointId> IlsStrategy::restart(size_t bucket, PointId optimum) {
  std::optional<PointId>& best = best_[bucket];
  if (!best || value(bucket, optimum) < value(bucket, *best)) best = optimum;
  for (int i = 0; i < kTries; ++i) {
    PointId at = *best;
    const uint64_t steps = kFewestSteps + random_.below(kMostSteps - kFewestSteps + 1);
    for (uint64_t s = 0; s < steps; ++s) {
      const std::vector<Move>& moves = ledger_.index().moves(bucket, at);
      if (!moves.empty()) at = moves[random_.below(moves.size())].to;
    }
    if (ledger_.open(bucket, at)) return at;
  }
  return ledger_.random_open(bucket, random_);
}

}  // namespace gatefold
