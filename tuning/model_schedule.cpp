#include "tuning/model_schedule.h"

#include <cmath>
#include <limits>

#include "schedules/space.h"
#include "tuning/cost_model.h"
#include "tuning/pruning.h"

namespace gatefold {
namespace {

constexpr int kThreads = 1;  // how many a library's user will have is not known

/// All buckets under one packing, and the sum of the logarithms of their times.
struct Choice {
  Schedule schedule;
  double log_ms = 0;
};

/// Where no point is legal the default one, whose reason is then told.
SchedulePoint best_point(const KernelSpec& kernel, const CpuProfile& cpu) {
  const auto ranked = ranked_by_model(kernel, legal_points(kernel), cpu, kThreads);
  return ranked.empty() ? default_point(kernel, cpu) : ranked.front();
}

Choice choice_under(const Packing& packing, const FfnSpec& ffn, Target target,
                    const std::vector<int64_t>& rows, const CpuProfile& cpu) {
  Choice choice;
  for (const RowBucket& bucket : row_buckets(rows)) {
    KernelSpec kernel{ffn, target, bucket, packing, {}};
    kernel.point = best_point(kernel, cpu);
    choice.log_ms += std::log(predicted_ms(kernel, cpu, kThreads));
    KernelRecord record;
    record.origin = "model";
    choice.schedule.kernels.push_back({kernel, record});
  }
  return choice;
}

}  // namespace

Schedule model_schedule(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows,
                        const CpuProfile& cpu) {
  Choice best;
  best.log_ms = std::numeric_limits<double>::infinity();
  for (const Packing& packing : legal_packings(ffn, target)) {
    Choice choice = choice_under(packing, ffn, target, rows, cpu);
    if (choice.log_ms < best.log_ms) best = std::move(choice);
  }
  return best.schedule;
}

}  // namespace gatefold
