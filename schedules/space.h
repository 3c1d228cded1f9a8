#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spec/ffn_spec.h"
#include "spec/machine.h"

namespace gatefold {

/// The schedules that are legal for one block on one target: what the tuner may try, what a stored
/// winner is checked against, and the analytic default among them. No Halide in here.

/// One axis of the space: a tunable's candidate values, lowest first.
struct Axis {
  std::string name;
  std::vector<int> values;
};

/// Why a point is illegal, naming the tunable and its bound; nothing if it is not.
using Reason = std::optional<std::string>;

/// The reasons that are about one axis, to be asked as soon as its value and those before it stand.
struct AxisReasons {
  std::string axis;
  std::vector<Reason (*)(const KernelSpec&)> reasons;
};

/// Why a kernel spec cannot be emitted; empty if it can. Reasons name the tunable and its bound.
std::optional<std::string> why_illegal(const KernelSpec& kernel);

/// Packings worth trying for a block on a target; the first is the default.
std::vector<Packing> legal_packings(const FfnSpec& ffn, Target target);

/// The axes for one kernel (its packing, shape, target and bucket given; its point ignored).
std::vector<Axis> axes(const KernelSpec& kernel);

/// All legal points, enumerated axis by axis, so that no illegal point is ever built.
std::vector<SchedulePoint> legal_points(const KernelSpec& kernel);

/// Points of the full product of the axes that are not worth emitting, or cannot be.
struct Refused {
  int64_t points = 0;
  std::string example;  ///< the reason of one
};

/// What enumerating the points of a kernel met: each point of the product is legal or refused.
struct SpaceCensus {
  std::vector<std::string> fusions;  ///< the axis beside `axes`
  std::vector<Axis> axes;
  int64_t product = 0, legal = 0;
  std::map<std::string, Refused> refused;  ///< by the tunable that the reason is about
};
SpaceCensus census(const KernelSpec& kernel);

/// The analytic default from cache sizes and register counts.
SchedulePoint default_point(const KernelSpec& kernel, const CpuProfile& cpu);

}  // namespace gatefold
