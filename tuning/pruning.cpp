#include "tuning/pruning.h"

#include <algorithm>
#include <numeric>

#include "tuning/cost_model.h"
#include "tuning/seeded_random.h"

namespace gatefold {
namespace {

constexpr size_t kBestShare = 2;     // one of so many: the better half
constexpr uint64_t kRestShare = 20;  // one of so many, drawn

/// The numbers of the points, the fastest first.
std::vector<size_t> order_of(const std::vector<double>& ms) {
  std::vector<size_t> order(ms.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ms[a] < ms[b]; });
  return order;
}

}  // namespace

std::vector<SchedulePoint> ranked_by_model(const KernelSpec& place,
                                           const std::vector<SchedulePoint>& points,
                                           const CpuProfile& cpu, int threads) {
  std::vector<double> ms;
  KernelSpec kernel = place;
  for (const SchedulePoint& point : points) {
    kernel.point = point;
    ms.push_back(predicted_ms(kernel, cpu, threads));
  }
  std::vector<SchedulePoint> ranked;
  for (size_t i : order_of(ms)) ranked.push_back(points[i]);
  return ranked;
}

std::vector<bool> worth_trying_first(const std::vector<double>& predicted_ms, uint64_t seed) {
  const std::vector<size_t> order = order_of(predicted_ms);
  const size_t best = (order.size() + kBestShare - 1) / kBestShare;
  std::vector<bool> worth(order.size(), false);
  SeededRandom random(seed);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    worth[order[rank]] = rank < best || random.below(kRestShare) == 0;
  }
  return worth;
}

}  // namespace gatefold
