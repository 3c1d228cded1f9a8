#pragma once

#include <map>
#include <string>
#include <vector>

#include "schedules/space.h"
#include "tuning/gpu_estimate.h"
#include "tuning/winners.h"

namespace gatefold {

/// A point and what the model thinks of it.
struct GpuKernel {
  DevicePoint point;
  GpuEstimate estimate;
};

/// The points of one kernel on one GPU.
struct GpuRanking {
  std::vector<GpuKernel> points;           ///< those that run there, the fastest first
  std::map<std::string, Refused> refused;  ///< the others, by what their reason is about
};

/// All legal points of a place (a kernel whose own point does not matter). Those that the model
/// thinks equal stay in the order of the space.
GpuRanking ranked_for_gpu(const KernelSpec& place, const GpuProfile& gpu);

/// One kernel for each row bucket, under one packing.
struct GpuSchedule {
  std::vector<GpuKernel> kernels;
  std::vector<int64_t> ranked;  ///< for each kernel, how many points it is the best of
  std::map<std::string, Refused> refused;
  std::vector<std::string> notes;
};

/// The points that the model thinks fastest on a GPU that is not at hand, under the packing that is
/// fastest over all rows. With a reader the best few kinds of code are assembled first: their
/// registers are counted, and what spills gives way to the next best, which the notes say.
/// A usage error if the GPU does not run what is made for the target.
GpuSchedule gpu_schedule(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows,
                         const GpuProfile& gpu, const ResourceReader& reader = {});

/// Such a schedule as winners of the GPU, of origin "model": their times are not known.
WinnerSet gpu_winners(const GpuSchedule& schedule, const GpuProfile& gpu);

}  // namespace gatefold
