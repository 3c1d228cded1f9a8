#include "tuning/gpu_ranking.h"

#include <algorithm>
#include <set>

namespace gatefold {
namespace {

/// What a reason is about, without its figures: "shared memory of a block" of "down: shared memory
/// of a block: 1, wanted …", "spills" of "block_down: spills 8 bytes …".
std::string subject(const std::string& reason) {
  const size_t colon = reason.find(": ");
  const size_t begin = colon == std::string::npos ? 0 : colon + 2;
  const size_t end = reason.find_first_of(":0123456789", begin);
  const std::string words = reason.substr(begin, end - begin);
  return words.substr(0, words.find_last_not_of(' ') + 1);
}

}  // namespace

void add_refused(GpuRanking& ranking, const DevicePoint& point, const std::string& reason) {
  Refused& refused = ranking.refused[subject(reason)];
  if (refused.points++ == 0) refused.example = "'" + point.text() + "': " + reason;
}

void sort_by_time(GpuRanking& ranking) {
  std::stable_sort(
      ranking.points.begin(), ranking.points.end(),
      [](const GpuKernel& a, const GpuKernel& b) { return a.estimate.ms < b.estimate.ms; });
}

GpuRanking ranked_for_gpu(const KernelSpec& place, const GpuProfile& gpu) {
  GpuRanking ranking;
  for (DevicePoint& point : legal_device_points(place)) {
    GpuEstimate estimate = gpu_estimate(point, gpu);
    if (estimate.refused) {
      add_refused(ranking, point, *estimate.refused);
    } else {
      ranking.points.push_back({std::move(point), std::move(estimate)});
    }
  }
  sort_by_time(ranking);
  return ranking;
}

std::vector<GpuKernel> leaders_of(const GpuRanking& ranking, size_t most) {
  std::vector<GpuKernel> leaders;
  std::set<std::string> codes;
  size_t of_threads = 0, of_tensor_cores = 0;
  for (const GpuKernel& kernel : ranking.points) {
    size_t& count = kernel.point.tensor_core ? of_tensor_cores : of_threads;
    if (count == most || !codes.insert(code_class(kernel.point)).second) continue;
    ++count;
    leaders.push_back(kernel);
  }
  return leaders;
}

}  // namespace gatefold
