#pragma once

#include <cstdint>
#include <vector>

#include "tuning/bucket_points.h"

namespace gatefold {

/// What the forest knows of each point: small numbers in the order of what they stand for. A tree
/// only asks which of two is larger, so a tunable's ordinal serves as well as log2(1 + value).
class PointFeatures {
 public:
  /// `predicted`: the model's milliseconds by point; may be empty.
  PointFeatures(const SearchSpace& space, const BucketPoints& points,
                const std::vector<double>& predicted);

  size_t width() const { return levels_.size(); }
  int levels(size_t feature) const { return levels_[feature]; }  ///< values are below it
  const uint8_t* row(PointId id) const { return &rows_[id * width()]; }

 private:
  void add(const std::vector<double>& values);

  size_t count_;
  std::vector<int> levels_;
  std::vector<std::vector<uint8_t>> columns_;
  std::vector<uint8_t> rows_;
};

}  // namespace gatefold
