#include "tuning/joint_cost.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tuning/screened_times.h"

namespace gatefold {
namespace {

using Times = std::map<std::string, double>;  // by packing

Times best_times(const std::vector<TrialRecord>& trials, const RowBucket& bucket) {
  Times best;
  for (const auto& [trial, ms] : screened_times(trials, bucket)) {
    if (!std::isfinite(ms)) continue;
    double& known = best.emplace(trial->packing.text(), ms).first->second;
    known = std::min(known, ms);
  }
  return best;
}

std::optional<double> cost_pct(const Times& best, const std::string& packing) {
  const auto chosen = best.find(packing);
  if (chosen == best.end() || best.size() < 2) return std::nullopt;
  double fastest = chosen->second;
  for (const auto& [other, ms] : best) fastest = std::min(fastest, ms);
  return 100 * (chosen->second / fastest - 1);
}

}  // namespace

void add_joint_costs(RaceRecord& race, const std::vector<TrialRecord>& trials) {
  for (RaceCell& cell : race.cells) {
    cell.joint_cost_pct = cost_pct(best_times(trials, cell.bucket), race.packing);
  }
}

std::vector<StoredRace> races_with_joint_costs(Store& store) {
  std::vector<StoredRace> races = store.races();
  for (StoredRace& stored : races) {
    if (stored.key.current()) add_joint_costs(stored.race, store.trials(stored.workload));
  }
  return races;
}

}  // namespace gatefold
