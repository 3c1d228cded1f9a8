#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuning/search_space.h"

namespace gatefold {

/// Number of a point in its BucketPoints.
using PointId = uint32_t;

/// The legal points of one row bucket under all packings that are searched, numbered. The default
/// point of each packing is among them, whether or not it lies on the axes.
class BucketPoints {
 public:
  /// A point as small numbers: its packing, its fusion, and for each tunable (in the order of
  /// kTunables) how many smaller values of it there are in the bucket.
  static constexpr size_t kPackingPlace = 0, kFusionPlace = 1, kFirstTunable = 2;
  using Key = std::array<uint8_t, kFirstTunable + kTunables.size()>;

  /// The points [begin, end) are those of one packing.
  struct Range {
    PointId begin = 0, end = 0;
  };

  BucketPoints(const SearchSpace& space, size_t bucket);

  size_t size() const { return points_.size(); }
  size_t bucket() const { return bucket_; }
  size_t packings() const { return ranges_.size(); }
  Range range(size_t packing) const { return ranges_.at(packing); }
  const SchedulePoint& point(PointId id) const { return points_[id]; }
  const Key& key(PointId id) const { return keys_[id]; }
  size_t packing(PointId id) const { return keys_[id][kPackingPlace]; }
  Candidate candidate(PointId id, const std::string& proposer) const;

  /// The values that one tunable takes in this bucket, lowest first.
  const std::vector<int>& values(size_t tunable) const { return values_[tunable]; }

  std::optional<PointId> find(const Key& key) const;
  std::optional<PointId> find(size_t packing, const SchedulePoint& point) const;
  std::optional<PointId> default_of(size_t packing) const;  ///< none of packings not searched

  /// In how many of packing, fusion and tunables two points differ.
  int hamming(PointId a, PointId b) const;

  /// How far the tunables lie apart, in thousandths of doublings, summed.
  int distance(PointId a, PointId b) const;

 private:
  void number_values();
  std::optional<uint8_t> ordinal(size_t tunable, int value) const;

  size_t bucket_;
  std::vector<SchedulePoint> points_;
  std::vector<Range> ranges_;
  std::vector<std::optional<PointId>> defaults_;
  std::array<std::vector<int>, kTunables.size()> values_;
  std::array<std::vector<int>, kTunables.size()> doublings_;  ///< thousandths, by ordinal
  std::vector<Key> keys_;
  std::vector<PointId> by_key_;
};

}  // namespace gatefold
