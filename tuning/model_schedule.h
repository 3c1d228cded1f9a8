#pragma once

#include "tuning/winners.h"

namespace gatefold {

/// The points that the cost model thinks fastest on one thread, under the packing that is fastest
/// over all rows: for CPUs that are not at hand, and so cannot be tuned for. Their origin is
/// "model".
Schedule model_schedule(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows,
                        const CpuProfile& cpu);

}  // namespace gatefold
