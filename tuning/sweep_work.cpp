#include <algorithm>
#include <map>

#include "tuning/sweep_plan.h"
#include "tuning/transfer.h"

namespace gatefold {
namespace {

// Seconds of a trial, assumed while none was ever stored and shown as a guess: a compilation shared
// by two cores, and some hundred milliseconds of measuring.
constexpr double kUsualTrialSeconds = 2.5;

/// Each row count of each cell may get the winners of the other cells that are near enough.
int64_t most_transfers(const SweepPlan& plan) {
  int64_t pairs = 0;
  for (const int64_t a : plan.rows) {
    for (const int64_t b : plan.rows) pairs += near_rows(a, b) ? 1 : 0;
  }
  std::map<std::string, int64_t> groups;
  for (const SweepCell& c : plan.cells) ++groups[info(c.target).name + " " + c.ffn.dtypes()];
  int64_t sum = 0;
  for (const auto& [name, n] : groups) sum += n * n * pairs;
  return sum;
}

}  // namespace

int stored_trials(Store& store, int64_t workload, const std::vector<RowBucket>& buckets) {
  const std::vector<TrialRecord> trials = store.trials(workload);
  return static_cast<int>(std::count_if(trials.begin(), trials.end(), [&](const TrialRecord& t) {
    return std::any_of(buckets.begin(), buckets.end(),
                       [&](const RowBucket& b) { return t.is_of(b); });
  }));
}

bool finished(Store& store, const SweepCell& cell, const SweepPlan& plan, const SweepFile& file,
              const std::string& cpu) {
  const auto workload = store.known_workload(workload_of(cell, cpu));
  const auto race = workload ? store.race(*workload, plan.rows) : std::nullopt;
  if (!race) return false;
  return !file.trials || stored_trials(store, *workload, row_buckets(plan.rows)) >= *file.trials;
}

SweepWork work_left(const SweepPlan& plan, const SweepFile& file, const std::string& cpu,
                    Store* store) {
  SweepWork work;
  if (store) work.rate = store->trial_rate();
  if (!(work.rate.seconds > 0)) work.rate = {kUsualTrialSeconds, 0};
  const std::vector<RowBucket> buckets = row_buckets(plan.rows);
  for (const SweepCell& cell : plan.cells) {
    if (store && finished(*store, cell, plan, file, cpu)) {
      ++work.finished;
      continue;
    }
    const auto workload = store ? store->known_workload(workload_of(cell, cpu)) : std::nullopt;
    const int known = workload ? stored_trials(*store, *workload, buckets) : 0;
    if (file.trials) work.trials += std::max(0, *file.trials - known);
    work.seconds += file.budget_s.value_or(kRaceSeconds);
  }
  work.seconds += static_cast<double>(work.trials) * work.rate.seconds;
  if (file.transfer && plan.cells.size() > 1) work.transfers = most_transfers(plan);
  work.transfer_seconds = static_cast<double>(work.transfers) * work.rate.seconds;
  return work;
}

}  // namespace gatefold
