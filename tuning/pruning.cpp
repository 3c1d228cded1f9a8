#include "tuning/pruning.h"

#include <algorithm>
#include <numeric>

#include "tuning/cost_model.h"
#include "tuning/seeded_random.h"

namespace gatefold {
namespace {

constexpr size_t kBestShare = 2;     // one of so many: the better half
constexpr uint64_t kRestShare = 20;  // one of so many, drawn

/// The numbers of `points`, the model's fastest first.
std::vector<size_t> order_of(const KernelSpec& place, const std::vector<SchedulePoint>& points,
                             const CpuProfile& cpu, int threads) {
  std::vector<double> ms;
  KernelSpec kernel = place;
  for (const SchedulePoint& point : points) {
    kernel.point = point;
    ms.push_back(predicted_ms(kernel, cpu, threads));
  }
  std::vector<size_t> order(points.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ms[a] < ms[b]; });
  return order;
}

}  // namespace

std::vector<SchedulePoint> ranked_by_model(const KernelSpec& place,
                                           const std::vector<SchedulePoint>& points,
                                           const CpuProfile& cpu, int threads) {
  std::vector<SchedulePoint> ranked;
  for (size_t i : order_of(place, points, cpu, threads)) ranked.push_back(points[i]);
  return ranked;
}

std::vector<SchedulePoint> pruned(const KernelSpec& place, const std::vector<SchedulePoint>& points,
                                  const CpuProfile& cpu, int threads, uint64_t seed) {
  const std::vector<size_t> order = order_of(place, points, cpu, threads);
  const size_t best = (points.size() + kBestShare - 1) / kBestShare;
  std::vector<bool> kept(points.size(), false);
  SeededRandom random(seed);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    kept[order[rank]] = rank < best || random.below(kRestShare) == 0;
  }
  std::vector<SchedulePoint> result;
  for (size_t i = 0; i < points.size(); ++i) {
    if (kept[i]) result.push_back(points[i]);
  }
  return result;
}

}  // namespace gatefold
