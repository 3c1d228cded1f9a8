#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuning/gpu_ranking.h"
#include "tuning/gpu_resources.h"
#include "tuning/winners.h"

namespace gatefold {

/// One kernel for each row bucket, under one packing.
struct GpuSchedule {
  std::vector<GpuKernel> kernels;
  std::vector<GpuRanking> rankings;  ///< for each kernel, the points that it is the best of
  std::map<std::string, Refused> refused;
  std::vector<std::string> notes;
};

/// The points that the model thinks fastest on a GPU that is not at hand, under the packing that is
/// fastest over all rows. With a reader the best few kinds of code are assembled first: their
/// registers are counted, and what spills gives way to the next best, which the notes say.
/// A usage error if the GPU does not run what is made for the target, an Error if no point is left.
GpuSchedule gpu_schedule(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows,
                         const GpuProfile& gpu, const ResourceReader& reader = {});

/// Such a schedule as winners of the GPU, of origin "model": their times are not known.
WinnerSet gpu_winners(const GpuSchedule& schedule, const GpuProfile& gpu);

}  // namespace gatefold
