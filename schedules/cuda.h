#pragma once

#include "schedules/ffn_stages.h"

namespace gatefold {

/// CUDA and OpenCL: what the point means is in cuda_space.h.
void schedule_device(FfnStages& stages);

}  // namespace gatefold
