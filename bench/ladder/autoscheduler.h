#pragma once

#include "schedules/ffn_stages.h"

namespace gatefold {

/// The schedule that Halide's own autoscheduler (Adams2019, with the weights it comes with) finds
/// for the same algorithm: what a hand-written space has to beat. For `threads` threads. Throws
/// Halide::Error.
void schedule_adams2019(FfnStages& stages, int threads);

}  // namespace gatefold
