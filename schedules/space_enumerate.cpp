#include <functional>

#include "schedules/cpu_space.h"
#include "schedules/cuda_space.h"
#include "schedules/space.h"

namespace gatefold {
namespace {

constexpr Fusion kFusions[] = {Fusion::gated, Fusion::blocked, Fusion::streamed, Fusion::unfused};

/// What enumerating meets. `points` have the values that stand so far in common, and the reason.
struct Visitor {
  std::function<void(const SchedulePoint&)> legal;
  std::function<void(int64_t points, const std::string& reason)> refused;
};

const std::vector<AxisReasons>& axis_reasons(Device device) {
  switch (device) {
    case Device::cpu:
      return cpu::axis_reasons();
    case Device::cuda:
    case Device::opencl:
      return device::axis_reasons();
  }
  static const std::vector<AxisReasons> none;
  return none;
}

/// The axis's own reason, as soon as its value and those before it stand.
Reason axis_reason(const std::string& axis, const KernelSpec& k) {
  for (const AxisReasons& of : axis_reasons(info(k.target).device)) {
    if (of.axis != axis) continue;
    for (const auto reason : of.reasons) {
      if (Reason r = reason(k)) return r;
    }
  }
  return {};
}

int64_t points_below(const std::vector<Axis>& all, size_t depth) {
  int64_t points = 1;
  for (size_t i = depth; i < all.size(); ++i) points *= static_cast<int64_t>(all[i].values.size());
  return points;
}

/// Depth-first over the axes; a branch ends at the first axis that has a reason against it.
void enumerate(KernelSpec& k, const std::vector<Axis>& all, size_t depth, const Visitor& visitor) {
  if (depth == all.size()) {
    const Reason reason = why_illegal(k);
    if (!reason) return visitor.legal(k.point);
    return visitor.refused(1, *reason);
  }
  for (const Tunable& t : kTunables) {
    if (all[depth].name != t.name) continue;
    for (int value : all[depth].values) {
      k.point.*t.value = value;
      if (const Reason reason = axis_reason(all[depth].name, k)) {
        visitor.refused(points_below(all, depth + 1), *reason);
      } else {
        enumerate(k, all, depth + 1, visitor);
      }
    }
  }
}

void enumerate(const KernelSpec& kernel, const Visitor& visitor) {
  KernelSpec k = kernel;
  for (Fusion fusion : kFusions) {
    k.point = {};
    k.point.fusion = fusion;
    enumerate(k, axes(k), 0, visitor);
  }
}

}  // namespace

std::vector<SchedulePoint> legal_points(const KernelSpec& kernel) {
  std::vector<SchedulePoint> points;
  enumerate(kernel, {[&](const SchedulePoint& p) { points.push_back(p); },
                     [](int64_t, const std::string&) {}});
  return points;
}

SpaceCensus census(const KernelSpec& kernel) {
  SpaceCensus census;
  for (const Fusion fusion : kFusions) census.fusions.push_back(name(fusion));
  census.axes = axes(kernel);
  census.product = points_below(census.axes, 0) * static_cast<int64_t>(std::size(kFusions));
  enumerate(kernel, {[&](const SchedulePoint&) { ++census.legal; },
                     [&](int64_t points, const std::string& reason) {
                       Refused& r = census.refused[reason.substr(0, reason.find_first_of("= "))];
                       if (r.points == 0) r.example = reason;
                       r.points += points;
                     }});
  return census;
}

}  // namespace gatefold
