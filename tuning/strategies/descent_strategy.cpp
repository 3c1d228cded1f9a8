#include "tuning/strategies/descent_strategy.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gatefold {

DescentStrategy::DescentStrategy(const StrategyInput& input, std::string proposer)
    : SeededStrategy(input), proposer_(std::move(proposer)), walks_(ledger_.buckets()) {}

double DescentStrategy::value(size_t bucket, PointId id) {
  const double ms = ledger_.ms(bucket, id);
  if (!std::isfinite(ms)) return std::numeric_limits<double>::infinity();
  return ledger_.joint_log(bucket, id, std::log(ms));
}

void DescentStrategy::go_to(size_t bucket, PointId id, std::optional<Move> last) {
  Walk& walk = walks_[bucket];
  walk.at = id;
  walk.last = last;
  walk.left = ledger_.index().moves(bucket, id);
  order(walk.left, last);
  std::reverse(walk.left.begin(), walk.left.end());
}

/// To the best neighbour, if it is better.
bool DescentStrategy::go_down(size_t bucket) {
  const PointId at = *walks_[bucket].at;
  const Move* best = nullptr;
  for (const Move& move : ledger_.index().moves(bucket, at)) {
    if (value(bucket, move.to) < value(bucket, best ? best->to : at)) best = &move;
  }
  if (best) go_to(bucket, best->to, *best);
  return best;
}

bool DescentStrategy::awaits_neighbours(size_t bucket) {
  const std::vector<PointId>& pending = ledger_.pending(bucket);
  const std::vector<Move>& moves = ledger_.index().moves(bucket, *walks_[bucket].at);
  return std::any_of(moves.begin(), moves.end(), [&](const Move& move) {
    return std::find(pending.begin(), pending.end(), move.to) != pending.end();
  });
}

/// From an optimum whose neighbours are all told to the first start that is told.
bool DescentStrategy::go_on(size_t bucket) {
  Walk& walk = walks_[bucket];
  if (walk.starts.empty() || awaits_neighbours(bucket)) return false;
  const PointId start = walk.starts.front();
  if (std::isnan(ledger_.ms(bucket, start))) return false;
  walk.starts.erase(walk.starts.begin());
  go_to(bucket, start, std::nullopt);
  return true;
}

std::optional<SeededStrategy::Proposal> DescentStrategy::propose(size_t bucket) {
  Walk& walk = walks_[bucket];
  if (!walk.at) {
    const std::vector<PointId> best = ledger_.elites(bucket, 1);
    if (!best.empty()) go_to(bucket, best.front(), std::nullopt);
  }
  while (walk.at) {
    if (go_down(bucket)) continue;
    while (!walk.left.empty()) {
      const Move move = walk.left.back();
      walk.left.pop_back();
      if (ledger_.open(bucket, move.to)) return Proposal{move.to, proposer_};
    }
    if (!go_on(bucket)) break;
  }
  const auto start = walk.at ? restart(bucket, *walk.at) : ledger_.random_open(bucket, random_);
  if (!start) return std::nullopt;
  if (walk.at) walk.starts.push_back(*start);
  return Proposal{*start, proposer_};
}

}  // namespace gatefold
