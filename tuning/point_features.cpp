#include "tuning/point_features.h"

#include <algorithm>
#include <cmath>

namespace gatefold {
namespace {

constexpr size_t kMostLevels = 64;

/// What a tile costs follows from these more simply than from the tunables one by one.
double accumulators(const Packing& packing, const SchedulePoint& p) {
  return double(p.mr) * p.streams * packing.panel;
}

double row_tiles(int64_t rows, const SchedulePoint& p) {
  return std::ceil(double(std::max<int64_t>(1, rows)) / p.mr);
}

/// Rows that the tiles compute / rows that there are.
double padding(int64_t rows, const SchedulePoint& p) {
  return row_tiles(rows, p) * p.mr / double(std::max<int64_t>(1, rows));
}

}  // namespace

PointFeatures::PointFeatures(const SearchSpace& space, const BucketPoints& points,
                             const std::vector<double>& predicted)
    : count_(points.size()) {
  const int64_t rows = space.buckets.at(points.bucket()).tuned_rows;
  const auto add_each = [&](auto value_of) {
    std::vector<double> values;
    for (PointId id = 0; id < count_; ++id) values.push_back(value_of(id));
    add(values);
  };
  for (const Tunable& t : kTunables)
    add_each([&](PointId id) { return points.point(id).*t.value; });
  for (Fusion fusion : {Fusion::unfused, Fusion::gated, Fusion::blocked, Fusion::streamed}) {
    add_each([&](PointId id) { return points.point(id).fusion == fusion; });
  }
  add_each([&](PointId id) { return points.packing(id); });
  add_each([&](PointId id) {
    return accumulators(space.packings[points.packing(id)], points.point(id));
  });
  add_each([&](PointId id) { return row_tiles(rows, points.point(id)); });
  add_each([&](PointId id) { return padding(rows, points.point(id)); });
  if (!predicted.empty()) add(predicted);
  for (PointId id = 0; id < count_; ++id) {
    for (const std::vector<uint8_t>& column : columns_) rows_.push_back(column[id]);
  }
  columns_.clear();
}

/// As levels of equal counts, where there are more values than levels. A feature that is the same
/// for all points is none.
void PointFeatures::add(const std::vector<double>& values) {
  std::vector<double> distinct = values;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() < 2) return;
  const size_t levels = std::min(distinct.size(), kMostLevels);
  std::vector<uint8_t> column;
  for (double v : values) {
    const auto rank = std::lower_bound(distinct.begin(), distinct.end(), v) - distinct.begin();
    column.push_back(static_cast<uint8_t>(static_cast<size_t>(rank) * levels / distinct.size()));
  }
  levels_.push_back(static_cast<int>(levels));
  columns_.push_back(column);
}

}  // namespace gatefold
