#include "tuning/joint_cost.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace gatefold {
namespace {

using Times = std::map<std::string, double>;  // by packing

/// What the trials of each packing are relative to, in milliseconds. The newest, if there are
/// several: another program may have thought another point the default.
Times anchor_times(const std::vector<TrialRecord>& trials, const RowBucket& bucket) {
  Times anchors;
  double first_ms = kUnknown;  // of the default beside which the others' were timed
  for (const TrialRecord& trial : trials) {
    if (!trial.is_of(bucket) || trial.proposer != "default") continue;
    const bool own_anchor = !std::isfinite(trial.result.ratio) || trial.result.ratio == 1;
    const double ms = screened_ms(trial.result, own_anchor ? kUnknown : first_ms);
    if (own_anchor) first_ms = ms;
    anchors[trial.packing.text()] = ms;
  }
  return anchors;
}

Times best_times(const std::vector<TrialRecord>& trials, const RowBucket& bucket) {
  const Times anchors = anchor_times(trials, bucket);
  Times best;
  for (const TrialRecord& trial : trials) {
    if (!trial.is_of(bucket)) continue;
    const std::string packing = trial.packing.text();
    const auto anchor = anchors.find(packing);
    const double ms =
        trial.proposer == "default" && anchor != anchors.end()
            ? anchor->second
            : screened_ms(trial.result, anchor != anchors.end() ? anchor->second : kUnknown);
    if (!std::isfinite(ms)) continue;
    double& known = best.emplace(packing, ms).first->second;
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
