#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tuning/bucket_points.h"
#include "tuning/neighbourhood.h"
#include "tuning/point_features.h"

namespace gatefold {

/// All points of a space with what strategies want to know of them, each bucket worked out when it
/// is first asked for. Several strategies on one space may share one, one after the other.
class SpaceIndex {
 public:
  using Model = std::function<double(const Candidate&)>;

  explicit SpaceIndex(const SearchSpace& space, Model predicted_ms = {});

  const SearchSpace& space() const { return space_; }
  const BucketPoints& points(size_t bucket) { return at(bucket).points; }
  const std::vector<Move>& moves(size_t bucket, PointId id) { return at(bucket).near.of(id); }
  const PointFeatures& features(size_t bucket);

  /// The model's milliseconds by point; empty without a model.
  const std::vector<double>& predicted(size_t bucket) { return at(bucket).predicted; }

 private:
  struct Bucket {
    Bucket(const SearchSpace& space, size_t bucket, const Model& model);
    BucketPoints points;
    Neighbourhood near;
    std::vector<double> predicted;
    std::optional<PointFeatures> features;
  };

  Bucket& at(size_t bucket);

  const SearchSpace space_;
  const Model model_;
  std::vector<std::unique_ptr<Bucket>> buckets_;
};

}  // namespace gatefold
