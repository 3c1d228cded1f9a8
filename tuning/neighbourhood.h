#pragma once

#include <vector>

#include "tuning/bucket_points.h"

namespace gatefold {

/// One step from a point to another.
struct Move {
  PointId to = 0;
  size_t place = 0;  ///< what it changes, as a place in BucketPoints::Key
  int step = 0;      ///< +1 up, -1 down; 0 for fusion and packing
};

/// Which points lie next to which: one tunable one value up or down, another fusion, another
/// packing. Where no legal point differs in that alone, the others change as little as they must:
/// unroll=2 is legal without prefetch only, and is a neighbour of pf=96 all the same.
class Neighbourhood {
 public:
  /// `points` must outlive it.
  explicit Neighbourhood(const BucketPoints& points) : points_(points), moves_(points.size()) {}

  /// In the order of the key's places, down before up. Worked out when first asked for.
  const std::vector<Move>& of(PointId id);

 private:
  std::vector<Move> find_moves(PointId id) const;
  void add_value_moves(PointId id, size_t place, int step, std::vector<Move>& moves) const;
  void add_fusion_moves(PointId id, std::vector<Move>& moves) const;
  void add_packing_moves(PointId id, std::vector<Move>& moves) const;

  const BucketPoints& points_;
  std::vector<std::vector<Move>> moves_;
};

}  // namespace gatefold
