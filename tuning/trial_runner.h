#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "tuning/builder.h"
#include "tuning/measurer.h"
#include "tuning/search_space.h"
#include "tuning/trial_book.h"
#include "tuning/tune.h"

namespace gatefold {

/// Turns candidates into trials: compiles in parallel, then measures alone on the machine.
class TrialRunner {
 public:
  /// All must outlive it.
  TrialRunner(const TuneRequest& request, const SearchSpace& space, TrialBook& book);

  /// Compiles, measures and stores those that have no trial yet. Returns early if stopped.
  void run(const std::vector<Candidate>& batch);

  std::vector<BuiltCandidate> build(const std::vector<Candidate>& candidates);

  /// While nobody else measures there; the roof is measured first if it was not yet. Empty if
  /// stopped.
  MeasureReply measure(const MeasureRequest& request);
  MeasureRequest request_for(size_t bucket) const;

  const TrialBook& book() const { return book_; }
  const Roof& roof() const { return measurer_.roof(); }
  /// Before measuring: how long `racers` of this bucket may take of which one takes `ms`; NaN if
  /// none was timed yet.
  void limit_time(size_t bucket, double ms, size_t racers);
  /// What the machine could not give before counts too.
  void measure_roof_again() { measurer_.measure_roof_again(); }
  bool stopped() const { return request_.stop && request_.stop->load(); }
  double elapsed_s() const;
  int measured_now() const { return measured_now_; }  ///< trials of this run
  TuneSeconds seconds() const;
  void report(const std::string& phase) const;

 private:
  Measurer::Options measurer_options() const;
  std::vector<Candidate> missing_anchors(const std::vector<Candidate>& batch) const;
  bool settle_unmeasured(const Candidate& candidate, const BuiltCandidate& built);
  void measure_beside_anchor(const Candidate& candidate, const BuiltCandidate& built);
  MeasureReply measure_steadily(const MeasureRequest& request);
  std::vector<std::string> anchor_library(const Candidate& anchor);
  void refuse_above_roof(const MeasureReply& reply, const Candidate& candidate,
                         TrialResult& result);
  void record(const Candidate& candidate, const BuiltCandidate& built, const TrialResult& result);

  const TuneRequest& request_;
  const SearchSpace& space_;
  TrialBook& book_;
  Builder builder_;
  Measurer measurer_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int measured_now_ = 0;
  TuneSeconds spent_;  ///< without the total
};

}  // namespace gatefold
