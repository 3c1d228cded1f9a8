#include "tuning/bucket_points.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "schedules/space.h"
#include "spec/error.h"

namespace gatefold {

BucketPoints::BucketPoints(const SearchSpace& space, size_t bucket)
    : bucket_(bucket), ranges_(space.packings.size()), defaults_(space.packings.size()) {
  for (size_t p = 0; p < space.packings.size(); ++p) {
    ranges_[p].begin = static_cast<PointId>(points_.size());
    if (space.searched(p)) {
      const std::vector<SchedulePoint> legal = legal_points(space.kernel(p, bucket));
      points_.insert(points_.end(), legal.begin(), legal.end());
      const SchedulePoint base = space.default_point(p, bucket);
      const auto at = std::find(points_.begin() + ranges_[p].begin, points_.end(), base);
      defaults_[p] = static_cast<PointId>(at - points_.begin());
      if (at == points_.end()) points_.push_back(base);
    }
    ranges_[p].end = static_cast<PointId>(points_.size());
  }
  number_values();
}

void BucketPoints::number_values() {
  for (size_t t = 0; t < kTunables.size(); ++t) {
    std::vector<int>& values = values_[t];
    for (const SchedulePoint& point : points_) values.push_back(point.*kTunables[t].value);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() > 256) fail(std::string(kTunables[t].name) + ": more than 256 values");
    for (int v : values) {
      doublings_[t].push_back(static_cast<int>(std::lround(1000 * std::log2(1.0 + v))));
    }
  }
  for (size_t p = 0; p < ranges_.size(); ++p) {
    for (PointId id = ranges_[p].begin; id < ranges_[p].end; ++id) {
      Key key = {static_cast<uint8_t>(p), static_cast<uint8_t>(points_[id].fusion)};
      for (size_t t = 0; t < kTunables.size(); ++t) {
        key[kFirstTunable + t] = *ordinal(t, points_[id].*kTunables[t].value);
      }
      keys_.push_back(key);
      by_key_.push_back(id);
    }
  }
  std::sort(by_key_.begin(), by_key_.end(),
            [&](PointId a, PointId b) { return keys_[a] < keys_[b]; });
}

std::optional<uint8_t> BucketPoints::ordinal(size_t tunable, int value) const {
  const std::vector<int>& values = values_[tunable];
  const auto at = std::lower_bound(values.begin(), values.end(), value);
  if (at == values.end() || *at != value) return std::nullopt;
  return static_cast<uint8_t>(at - values.begin());
}

Candidate BucketPoints::candidate(PointId id, const std::string& proposer) const {
  return {packing(id), bucket_, points_[id], proposer};
}

std::optional<PointId> BucketPoints::find(const Key& key) const {
  const auto at =
      std::lower_bound(by_key_.begin(), by_key_.end(), key,
                       [&](PointId id, const Key& wanted) { return keys_[id] < wanted; });
  if (at == by_key_.end() || keys_[*at] != key) return std::nullopt;
  return *at;
}

std::optional<PointId> BucketPoints::find(size_t packing, const SchedulePoint& point) const {
  Key key = {static_cast<uint8_t>(packing), static_cast<uint8_t>(point.fusion)};
  for (size_t t = 0; t < kTunables.size(); ++t) {
    const std::optional<uint8_t> number = ordinal(t, point.*kTunables[t].value);
    if (!number) return std::nullopt;
    key[kFirstTunable + t] = *number;
  }
  return find(key);
}

std::optional<PointId> BucketPoints::default_of(size_t packing) const {
  return defaults_.at(packing);
}

int BucketPoints::hamming(PointId a, PointId b) const {
  int count = 0;
  for (size_t i = 0; i < keys_[a].size(); ++i) count += keys_[a][i] != keys_[b][i];
  return count;
}

int BucketPoints::distance(PointId a, PointId b) const {
  int sum = 0;
  for (size_t t = 0; t < kTunables.size(); ++t) {
    const size_t at = kFirstTunable + t;
    sum += std::abs(doublings_[t][keys_[a][at]] - doublings_[t][keys_[b][at]]);
  }
  return sum;
}

}  // namespace gatefold
