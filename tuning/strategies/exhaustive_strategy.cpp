#include "tuning/strategies/exhaustive_strategy.h"

namespace gatefold {

ExhaustiveStrategy::ExhaustiveStrategy(const StrategyInput& input)
    : index_(input.index ? input.index : std::make_shared<SpaceIndex>(input.space)) {
  const SearchSpace& space = index_->space();
  for (size_t p = 0; p < space.packings.size(); ++p) {
    for (size_t b = 0; b < space.buckets.size() && space.searched(p); ++b) {
      defaults_.push_back({p, b, space.default_point(p, b), "default"});
    }
  }
}

std::optional<Candidate> ExhaustiveStrategy::ask() {
  if (!defaults_.empty()) {
    const Candidate candidate = defaults_.front();
    defaults_.pop_front();
    return candidate;
  }
  for (; bucket_ < index_->space().buckets.size(); ++bucket_, next_ = 0) {
    const BucketPoints& points = index_->points(bucket_);
    while (next_ < points.size()) {
      const PointId id = next_++;
      if (points.default_of(points.packing(id)) == id) continue;
      return points.candidate(id, "exhaustive");
    }
  }
  return std::nullopt;
}

}  // namespace gatefold
