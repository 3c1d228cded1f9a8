#include "tuning/screened_times.h"

#include <cmath>
#include <map>
#include <string>

namespace gatefold {
namespace {

using Anchors = std::map<std::string, double>;  // milliseconds of each packing's default

/// The newest, if there are several: another program may have thought another point the default.
/// The default beside which those of the other packings were timed has the ratio 1.
Anchors anchor_times(const std::vector<TrialRecord>& trials, const RowBucket& bucket) {
  Anchors anchors;
  double first_ms = kUnknown;
  for (const TrialRecord& trial : trials) {
    if (!trial.is_of(bucket) || trial.proposer != "default") continue;
    const bool own_anchor = !std::isfinite(trial.result.ratio) || trial.result.ratio == 1;
    const double ms = screened_ms(trial.result, own_anchor ? kUnknown : first_ms);
    if (own_anchor) first_ms = ms;
    anchors[trial.packing.text()] = ms;
  }
  return anchors;
}

}  // namespace

std::vector<std::pair<const TrialRecord*, double>> screened_times(
    const std::vector<TrialRecord>& trials, const RowBucket& bucket) {
  const Anchors anchors = anchor_times(trials, bucket);
  std::vector<std::pair<const TrialRecord*, double>> times;
  for (const TrialRecord& trial : trials) {
    if (!trial.is_of(bucket)) continue;
    const auto anchor = anchors.find(trial.packing.text());
    const double anchor_ms = anchor == anchors.end() ? kUnknown : anchor->second;
    const bool is_anchor = trial.proposer == "default" && trial.result.kind == TrialKind::ok;
    times.emplace_back(&trial, is_anchor ? anchor_ms : screened_ms(trial.result, anchor_ms));
  }
  return times;
}

}  // namespace gatefold
