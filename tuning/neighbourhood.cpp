#include "tuning/neighbourhood.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace gatefold {
namespace {

using Key = BucketPoints::Key;

constexpr size_t kPacking = BucketPoints::kPackingPlace, kFusion = BucketPoints::kFusionPlace;

// Another fusion is a greater change than any step of the tunables.
constexpr int kFusionDistance = 100000;

/// The point of a packing that `fits` and lies nearest to `id`.
template <typename Fits>
std::optional<PointId> nearest(const BucketPoints& points, PointId id, size_t packing, Fits fits) {
  std::optional<PointId> best;
  int least = std::numeric_limits<int>::max();
  const BucketPoints::Range range = points.range(packing);
  for (PointId other = range.begin; other < range.end; ++other) {
    if (other == id || !fits(points.key(other))) continue;
    const bool same_fusion = points.key(other)[kFusion] == points.key(id)[kFusion];
    const int far = points.distance(id, other) + (same_fusion ? 0 : kFusionDistance);
    if (far < least) least = far, best = other;
  }
  return best;
}

void add(std::vector<Move>& moves, const Move& move) {
  const auto known = [&](const Move& m) { return m.to == move.to; };
  if (std::none_of(moves.begin(), moves.end(), known)) moves.push_back(move);
}

}  // namespace

const std::vector<Move>& Neighbourhood::of(PointId id) {
  std::vector<Move>& moves = moves_.at(id);
  if (moves.empty()) moves = find_moves(id);
  return moves;
}

std::vector<Move> Neighbourhood::find_moves(PointId id) const {
  std::vector<Move> moves;
  add_packing_moves(id, moves);
  add_fusion_moves(id, moves);
  for (size_t t = 0; t < kTunables.size(); ++t) {
    for (int step : {-1, 1}) add_value_moves(id, BucketPoints::kFirstTunable + t, step, moves);
  }
  return moves;
}

/// The next value with which the rest may stay, and the next value of all if that is another.
void Neighbourhood::add_value_moves(PointId id, size_t place, int step,
                                    std::vector<Move>& moves) const {
  const int values = static_cast<int>(points_.values(place - BucketPoints::kFirstTunable).size());
  bool adjacent = false;
  Key key = points_.key(id);
  for (int value = key[place] + step; value >= 0 && value < values; value += step) {
    key[place] = static_cast<uint8_t>(value);
    if (const auto exact = points_.find(key)) {
      add(moves, {*exact, place, step});
      return;
    }
    if (adjacent) continue;
    const auto repaired = nearest(points_, id, key[kPacking], [&](const Key& other) {
      return other[place] == key[place] && other[kFusion] == key[kFusion];
    });
    if (!repaired) continue;
    adjacent = true;
    add(moves, {*repaired, place, step});
  }
}

void Neighbourhood::add_fusion_moves(PointId id, std::vector<Move>& moves) const {
  for (Fusion fusion : {Fusion::gated, Fusion::blocked, Fusion::streamed, Fusion::unfused}) {
    const auto number = static_cast<uint8_t>(fusion);
    if (points_.key(id)[kFusion] == number) continue;
    const auto other = nearest(points_, id, points_.packing(id),
                               [&](const Key& key) { return key[kFusion] == number; });
    if (other) add(moves, {*other, kFusion, 0});
  }
}

void Neighbourhood::add_packing_moves(PointId id, std::vector<Move>& moves) const {
  for (size_t p = 0; p < points_.packings(); ++p) {
    if (p == points_.packing(id)) continue;
    const auto other = nearest(points_, id, p, [](const Key&) { return true; });
    if (other) add(moves, {*other, kPacking, 0});
  }
}

}  // namespace gatefold
