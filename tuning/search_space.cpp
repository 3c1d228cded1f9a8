#include "tuning/search_space.h"

#include <cmath>

#include "schedules/space.h"

namespace gatefold {
namespace {

/// In doublings, summed over all tunables.
double distance(const SchedulePoint& a, const SchedulePoint& b) {
  double sum = 0;
  for (const Tunable& t : kTunables) {
    sum += std::fabs(std::log2((1.0 + a.*t.value) / (1.0 + b.*t.value)));
  }
  return sum;
}

}  // namespace

std::optional<size_t> SearchSpace::packing_named(const std::string& text) const {
  for (size_t p = 0; p < packings.size(); ++p) {
    if (packings[p].text() == text) return p;
  }
  return std::nullopt;
}

KernelSpec SearchSpace::kernel(size_t packing, size_t bucket, const SchedulePoint& point) const {
  KernelSpec kernel;
  kernel.ffn = ffn;
  kernel.target = target;
  kernel.rows = buckets.at(bucket);
  kernel.packing = packings.at(packing);
  kernel.point = point;
  return kernel;
}

SchedulePoint SearchSpace::default_point(size_t packing, size_t bucket) const {
  return gatefold::default_point(kernel(packing, bucket), cpu);
}

std::optional<SchedulePoint> SearchSpace::unfused_point(size_t packing, size_t bucket) const {
  const SchedulePoint base = default_point(packing, bucket);
  KernelSpec wanted = kernel(packing, bucket, base);
  wanted.point.fusion = Fusion::unfused;
  wanted.point.mb = 0;
  if (!why_illegal(wanted)) return wanted.point;
  std::optional<SchedulePoint> nearest;
  for (const SchedulePoint& point : legal_points(wanted)) {
    if (point.fusion != Fusion::unfused) continue;
    if (!nearest || distance(point, base) < distance(*nearest, base)) nearest = point;
  }
  return nearest;
}

}  // namespace gatefold
