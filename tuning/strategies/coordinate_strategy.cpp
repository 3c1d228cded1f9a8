#include "tuning/strategies/coordinate_strategy.h"

#include <algorithm>

namespace gatefold {

void CoordinateStrategy::order(std::vector<Move>& moves, const std::optional<Move>& last) {
  if (!last) return;
  const auto from = std::find_if(moves.begin(), moves.end(),
                                 [&](const Move& move) { return move.place >= last->place; });
  std::rotate(moves.begin(), from, moves.end());
  // The same way once more before the way back, which is known to be worse.
  std::stable_partition(moves.begin(), moves.end(), [&](const Move& move) {
    return move.place == last->place && move.step == last->step;
  });
}

std::optional<PointId> CoordinateStrategy::restart(size_t bucket, PointId) {
  return ledger_.random_open(bucket, random_);
}

}  // namespace gatefold
