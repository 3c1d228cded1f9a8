#include "tuning/trial_book.h"

#include <algorithm>
#include <cmath>

#include "tuning/race.h"

namespace gatefold {

/// Trials of other row lists and of packings that are no longer tried stay in the store unseen.
TrialBook::TrialBook(const SearchSpace& space, Store& store, int64_t workload)
    : space_(space), store_(store), workload_(workload) {
  for (const TrialRecord& trial : store.trials(workload)) {
    for (size_t b = 0; b < space.buckets.size(); ++b) {
      for (size_t p = 0; p < space.packings.size(); ++p) {
        if (!trial.is_of(space.buckets[b]) || space.packings[p] != trial.packing) continue;
        enter({p, b, trial.point, trial.proposer}, trial);
      }
    }
  }
}

std::string TrialBook::place(size_t packing, size_t bucket) {
  return std::to_string(packing) + "/" + std::to_string(bucket) + "/";
}

std::string TrialBook::key(const Candidate& c) {
  return place(c.packing, c.bucket) + c.point.text();
}

void TrialBook::enter(const Candidate& c, const TrialRecord& trial) {
  records_[key(c)] = trial;
  if (!trial.code_hash.empty()) {
    by_code_.emplace(place(c.packing, c.bucket) + trial.code_hash, key(c));
  }
}

void TrialBook::add(const Candidate& candidate, const TrialRecord& trial) {
  store_.add_trial(workload_, trial);
  enter(candidate, trial);
}

const TrialRecord* TrialBook::find(const Candidate& candidate) const {
  const auto found = records_.find(key(candidate));
  return found == records_.end() ? nullptr : &found->second;
}

const TrialRecord* TrialBook::find_code(const Candidate& c, const std::string& code_hash) const {
  const auto found = by_code_.find(place(c.packing, c.bucket) + code_hash);
  return found == by_code_.end() ? nullptr : &records_.at(found->second);
}

Candidate TrialBook::default_of(size_t packing, size_t bucket) const {
  return {packing, bucket, space_.default_point(packing, bucket), "default"};
}

Candidate TrialBook::anchor_of(const Candidate& c) const {
  const Candidate own = default_of(c.packing, c.bucket);
  return own.same_kernel(c) && space_.searched(0) ? default_of(0, c.bucket) : own;
}

double TrialBook::screened_ms(const Candidate& c) const {
  const TrialRecord* trial = find(c);
  if (!trial) return kUnknown;
  const Candidate anchor = anchor_of(c);
  return gatefold::screened_ms(trial->result,
                               anchor.same_kernel(c) ? kUnknown : screened_ms(anchor));
}

std::vector<Candidate> TrialBook::ranked(size_t packing, size_t bucket) const {
  const std::string where = place(packing, bucket);
  std::vector<std::pair<double, Candidate>> timed;
  for (auto it = records_.lower_bound(where); it != records_.end(); ++it) {
    if (!it->first.starts_with(where)) break;
    const Candidate c = {packing, bucket, it->second.point, it->second.proposer};
    if (const double ms = screened_ms(c); std::isfinite(ms)) timed.emplace_back(ms, c);
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Candidate> candidates;
  for (const auto& [ms, candidate] : timed) candidates.push_back(candidate);
  return candidates;
}

std::map<std::string, int> TrialBook::counts() const {
  std::map<std::string, int> counts;
  for (const auto& [text, trial] : records_) ++counts[name(trial.result.kind)];
  return counts;
}

std::string TrialBook::first_failure() const {
  for (const auto& [text, trial] : records_) {
    if (trial.result.kind == TrialKind::ok) continue;
    return std::string(name(trial.result.kind)) + ": " + trial.result.message;
  }
  return {};
}

std::optional<double> TrialBook::best_speedup() const {
  const size_t packing = space_.only_packing.value_or(0);
  std::vector<double> speedups;
  for (size_t b = 0; b < space_.buckets.size(); ++b) {
    const double base = screened_ms(default_of(packing, b));
    const std::vector<Candidate> order = ranked(packing, b);
    if (!std::isfinite(base) || order.empty()) return std::nullopt;
    speedups.push_back(base / screened_ms(order.front()));
  }
  return geometric_mean(speedups);
}

}  // namespace gatefold
