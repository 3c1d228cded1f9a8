#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuning/search_space.h"
#include "tuning/store.h"

namespace gatefold {

/// The trials of one workload and its row buckets: those in the store, and those added since.
class TrialBook {
 public:
  /// All must outlive it.
  TrialBook(const SearchSpace& space, Store& store, int64_t workload);

  /// The trial of this kernel; null if there is none.
  const TrialRecord* find(const Candidate& candidate) const;

  /// The trial of a kernel of the same place that has the same code; null if there is none.
  const TrialRecord* find_code(const Candidate& candidate, const std::string& code_hash) const;

  /// Stored at once.
  void add(const Candidate& candidate, const TrialRecord& trial);

  Candidate default_of(size_t packing, size_t bucket) const;

  /// What it is timed beside: the default point of its packing and bucket, or itself if it is that
  /// of the first packing. The other packings' defaults are timed beside the first one's, or
  /// packings would be compared across requests, between which the machine drifts by more than they
  /// differ.
  Candidate anchor_of(const Candidate& candidate) const;

  /// The screened_ms of its trial; NaN if there is none.
  double screened_ms(const Candidate& candidate) const;

  /// The candidates of a place that ran, fastest first.
  std::vector<Candidate> ranked(size_t packing, size_t bucket) const;

  int size() const { return static_cast<int>(records_.size()); }
  std::map<std::string, int> counts() const;  ///< by kind
  std::string first_failure() const;          ///< kind and message of one that failed

  /// Under the default packing, as screened: default / best, geometric mean over the buckets.
  std::optional<double> best_speedup() const;

 private:
  static std::string place(size_t packing, size_t bucket);
  static std::string key(const Candidate& candidate);
  void enter(const Candidate& candidate, const TrialRecord& trial);

  const SearchSpace& space_;
  Store& store_;
  int64_t workload_;
  std::map<std::string, TrialRecord> records_;
  std::map<std::string, std::string> by_code_;  ///< place and code hash -> key
};

}  // namespace gatefold
