#pragma once

#include <optional>
#include <string>
#include <vector>

#include "spec/ffn_spec.h"
#include "spec/machine.h"

namespace gatefold {

/// What one tuning run may choose from: packings, and for each row bucket the legal points.
struct SearchSpace {
  FfnSpec ffn;
  Target target = Target::x86_avx2;
  CpuProfile cpu;
  std::vector<RowBucket> buckets;
  std::vector<Packing> packings;       ///< the default first
  std::optional<size_t> only_packing;  ///< must be chosen, so no other is searched

  bool searched(size_t packing) const { return !only_packing || *only_packing == packing; }

  /// Of the packing with this text; nothing if it is none of these.
  std::optional<size_t> packing_named(const std::string& text) const;

  KernelSpec kernel(size_t packing, size_t bucket, const SchedulePoint& point = {}) const;
  SchedulePoint default_point(size_t packing, size_t bucket) const;

  /// Our own unfused pipeline, as close to the default point as it can be; nothing if no unfused
  /// point is legal.
  std::optional<SchedulePoint> unfused_point(size_t packing, size_t bucket) const;
};

/// One kernel to try. Packing and bucket are numbers in the space.
struct Candidate {
  size_t packing = 0;
  size_t bucket = 0;
  SchedulePoint point;
  std::string proposer;

  bool same_kernel(const Candidate& other) const {
    return packing == other.packing && bucket == other.bucket && point == other.point;
  }
};

}  // namespace gatefold
