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

/// Which points to try first, from the times that the model predicts for them: the better half,
/// and a twentieth of the rest drawn from the seed, since the model may be wrong about a whole
/// family. The same arguments give the same.
std::vector<bool> worth_trying_first(const std::vector<double>& predicted_ms, uint64_t seed);

}  // namespace gatefold
