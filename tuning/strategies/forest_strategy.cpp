#include "tuning/strategies/forest_strategy.h"

#include <algorithm>
#include <array>

namespace gatefold {
namespace {

constexpr size_t kPolished = 3, kElites = 3;
constexpr double kPolishFrom = 0.75;  // of the budget
// In logarithms of time: what is next to a point that is being measured waits for its answer.
constexpr double kSameNeighbourhood = 0.05, kNextNeighbourhood = 0.02;

}  // namespace

ForestStrategy::ForestStrategy(const StrategyInput& input)
    : SeededStrategy(input),
      budget_(input.budget),
      seed_(input.seed),
      surrogates_(ledger_.buckets()),
      turns_(ledger_.buckets()),
      steps_(ledger_.buckets()) {}

Surrogate& ForestStrategy::surrogate(size_t bucket) {
  std::unique_ptr<Surrogate>& model = surrogates_[bucket];
  if (!model) model = std::make_unique<Surrogate>(ledger_, bucket, seed_);
  return *model;
}

std::optional<SeededStrategy::Proposal> ForestStrategy::propose(size_t bucket) {
  static constexpr std::array kRoles = {Role::hoped, Role::step, Role::promise, Role::step,
                                        Role::hoped, Role::step, Role::promise, Role::random};
  static constexpr std::array kNames = {"forest", "forest", "step", "random"};
  if (polishing(bucket)) {
    if (const auto id = polish(bucket)) {
      ++turns_[bucket];
      return Proposal{*id, "polish"};
    }
  }
  const Role role = kRoles[turns_[bucket]++ % kRoles.size()];
  if (const auto id = play(role, bucket)) return Proposal{*id, kNames[static_cast<size_t>(role)]};
  const auto id = ledger_.random_open(bucket, random_);
  return id ? std::optional(Proposal{*id, "random"}) : std::nullopt;
}

bool ForestStrategy::polishing(size_t bucket) const {
  if (budget_) return ledger_.asked_count() >= kPolishFrom * *budget_;
  return turns_[bucket] / 8 % 4 == 3;
}

/// The most promising open neighbour of the best point, or of the next best when it has none.
std::optional<PointId> ForestStrategy::polish(size_t bucket) {
  const bool learnt = surrogate(bucket).update();
  for (PointId best : ledger_.elites(bucket, kPolished)) {
    std::optional<std::pair<double, PointId>> chosen;
    for (const Move& move : ledger_.index().moves(bucket, best)) {
      if (!ledger_.open(bucket, move.to)) continue;
      const std::pair found(learnt ? surrogate(bucket).expected(move.to) : 0.0, move.to);
      if (!chosen || found < *chosen) chosen = found;
    }
    if (chosen) return chosen->second;
  }
  return std::nullopt;
}

std::optional<PointId> ForestStrategy::play(Role role, size_t bucket) {
  switch (role) {
    case Role::hoped:
      return forest_pick(bucket, false);
    case Role::promise:
      return forest_pick(bucket, true);
    case Role::step:
      return step_from_elite(bucket);
    case Role::random:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<PointId> ForestStrategy::forest_pick(size_t bucket, bool by_promise) {
  if (!surrogate(bucket).update()) return std::nullopt;
  using Rank = std::array<double, 2>;
  std::optional<PointId> best;
  Rank least = {};
  for (const Surrogate::Outlook& o : surrogate(bucket).outlooks()) {
    if (!ledger_.open(bucket, o.id)) continue;
    const double crowded = crowding(bucket, o.id);
    const Rank rank = by_promise ? Rank{o.promise + crowded, o.hoped} : Rank{o.hoped + crowded, 0};
    if (!best || rank < least) best = o.id, least = rank;
  }
  return best;
}

double ForestStrategy::crowding(size_t bucket, PointId id) {
  double penalty = 0;
  for (PointId other : ledger_.pending(bucket)) {
    const int apart = ledger_.points(bucket).hamming(id, other);
    penalty = std::max(penalty, apart <= 1   ? kSameNeighbourhood
                                : apart == 2 ? kNextNeighbourhood
                                             : 0.0);
  }
  return penalty;
}

/// From each of the best in turn a random step to an open point.
std::optional<PointId> ForestStrategy::step_from_elite(size_t bucket) {
  const std::vector<PointId> elites = ledger_.elites(bucket, kElites);
  for (size_t i = 0; i < elites.size(); ++i) {
    const PointId from = elites[steps_[bucket]++ % elites.size()];
    std::vector<PointId> open;
    for (const Move& move : ledger_.index().moves(bucket, from)) {
      if (ledger_.open(bucket, move.to)) open.push_back(move.to);
    }
    if (!open.empty()) return open[random_.below(open.size())];
  }
  return std::nullopt;
}

}  // namespace gatefold
