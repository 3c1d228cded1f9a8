#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tuning/search_space.h"
#include "tuning/store.h"

namespace gatefold {

/// One measured point of a recorded space.
struct RecordedPoint {
  Packing packing;
  SchedulePoint point;
  TrialKind kind = TrialKind::ok;
  double ms = kUnknown;  ///< as screened; NaN if it failed
};

/// All points of one row bucket, measured: what strategies are tried on without measuring. A file
/// of it is CSV in gzip; docs/formats.md describes it.
struct RecordedSpace {
  WorkloadKey key;
  CpuProfile caches;  ///< what the analytic default was worked out from
  int64_t rows = 1;
  std::vector<RecordedPoint> points;

  /// The space that this generator would search for the same block.
  SearchSpace search_space() const;
};

std::string recorded_space_csv(const RecordedSpace& space);

/// Errors name the file, the line, the value found and the one wanted.
RecordedSpace parse_recorded_space(std::string_view csv, const std::string& file);

void write_recorded_space(const std::filesystem::path& path, const RecordedSpace& space);
RecordedSpace read_recorded_space(const std::filesystem::path& path);

}  // namespace gatefold
