#include "tuning/tune_look.h"

#include <algorithm>
#include <cmath>
#include <set>
#include "tuning/screened_times.h"

namespace gatefold {
namespace {

struct Timed {
  const TrialRecord* trial;
  double ms;
};

/// What ran there, fastest first, in units of the default's time.
std::vector<Timed> timed(const std::vector<TrialRecord>& trials, const RowBucket& bucket,
                         const std::string& packing) {
  std::vector<Timed> out;
  for (const auto& [trial, ms] : screened_times(trials, bucket)) {
    if (trial->packing.text() == packing && std::isfinite(ms)) out.push_back({trial, ms});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Timed& a, const Timed& b) { return a.ms < b.ms; });
  return out;
}

Leader leader(const Timed& t) {
  Leader out = {t.trial->point, t.trial->proposer, t.ms, kUnknown, kUnknown, {}};
  for (const double ms : t.trial->result.samples) {
    out.low_ms = std::fmin(out.low_ms, ms);
    out.high_ms = std::fmax(out.high_ms, ms);
  }
  if (std::isfinite(t.trial->result.ratio)) out.ratio = t.trial->result.ratio;
  return out;
}

std::vector<Leader> first_leaders(const std::vector<Timed>& all, size_t most) {
  std::vector<Leader> leaders;
  std::set<std::string> codes;
  for (const Timed& t : all) {
    if (leaders.size() == most) break;
    const std::string& code = t.trial->code_hash;
    if (code.empty() || codes.insert(code).second) leaders.push_back(leader(t));
  }
  return leaders;
}

RowsLook rows_look(const std::vector<Timed>& all, int64_t rows, size_t most) {
  std::vector<TimedPoint> points;
  for (const Timed& t : all) points.push_back({t.trial->point, t.ms});
  return {rows, first_leaders(all, most), tunable_shares(points)};
}

std::vector<FailedKind> failed_kinds(const std::vector<TrialRecord>& trials,
                                     const std::vector<RowBucket>& buckets) {
  std::vector<FailedKind> kinds;
  for (const TrialRecord& t : trials) {
    const bool here =
        std::any_of(buckets.begin(), buckets.end(), [&](const RowBucket& b) { return t.is_of(b); });
    if (!here || t.result.kind == TrialKind::ok) continue;
    auto known = std::find_if(kinds.begin(), kinds.end(),
                              [&](const FailedKind& k) { return k.kind == t.result.kind; });
    if (known == kinds.end()) known = kinds.insert(known, {t.result.kind, 0, t.result.message});
    ++known->count;
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const FailedKind& a, const FailedKind& b) { return a.count > b.count; });
  return kinds;
}

}  // namespace

TuneLook look_at(const std::vector<TrialRecord>& trials, const std::vector<RowBucket>& buckets,
                 const std::string& packing, size_t leaders) {
  TuneLook look;
  look.failed = failed_kinds(trials, buckets);
  for (const RowBucket& bucket : buckets) {
    const std::vector<Timed> all = timed(trials, bucket, packing);
    if (!all.empty()) look.rows.push_back(rows_look(all, bucket.tuned_rows, leaders));
  }
  return look;
}

}  // namespace gatefold
