#pragma once

#include <map>
#include <string>
#include <vector>

#include "schedules/space.h"
#include "tuning/gpu_estimate.h"

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

/// The first points of a ranking that differ in their code, up to `most` of each generator: what to
/// try first on a device, whatever the model thinks of one generator against the other.
std::vector<GpuKernel> leaders_of(const GpuRanking& ranking, size_t most);

/// Puts a point among those that do not run there, or should not; the reason is "where: what: …".
void add_refused(GpuRanking& ranking, const DevicePoint& point, const std::string& reason);

void sort_by_time(GpuRanking& ranking);

}  // namespace gatefold
