#pragma once

#include <cstdint>
#include <vector>

#include "spec/ffn_spec.h"
#include "spec/machine.h"

namespace gatefold {

/// The points of a place (a kernel whose own point does not matter), fastest first by the cost
/// model; those it thinks equal stay in the order of the space.
std::vector<SchedulePoint> ranked_by_model(const KernelSpec& place,
                                           const std::vector<SchedulePoint>& points,
                                           const CpuProfile& cpu, int threads);

/// The model's better half, and a twentieth of the rest drawn from the seed, since the model may
/// be wrong about a whole family: in the order of `points`. The same arguments give the same.
std::vector<SchedulePoint> pruned(const KernelSpec& place, const std::vector<SchedulePoint>& points,
                                  const CpuProfile& cpu, int threads, uint64_t seed);

}  // namespace gatefold
