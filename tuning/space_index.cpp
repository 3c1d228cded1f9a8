#include "tuning/space_index.h"

#include <limits>

namespace gatefold {

SpaceIndex::SpaceIndex(const SearchSpace& space, Model predicted_ms)
    : space_(space), model_(std::move(predicted_ms)), buckets_(space.buckets.size()) {}

SpaceIndex::Bucket::Bucket(const SearchSpace& space, size_t bucket, const Model& model)
    : points(space, bucket), near(points) {
  if (!model) return;
  for (PointId id = 0; id < points.size(); ++id) {
    // What the model cannot say anything about comes last.
    const double ms = model(points.candidate(id, "model"));
    predicted.push_back(ms > 0 ? ms : std::numeric_limits<double>::infinity());
  }
}

SpaceIndex::Bucket& SpaceIndex::at(size_t bucket) {
  std::unique_ptr<Bucket>& entry = buckets_.at(bucket);
  if (!entry) entry = std::make_unique<Bucket>(space_, bucket, model_);
  return *entry;
}

const PointFeatures& SpaceIndex::features(size_t bucket) {
  Bucket& entry = at(bucket);
  if (!entry.features) entry.features.emplace(space_, entry.points, entry.predicted);
  return *entry.features;
}

}  // namespace gatefold
