#include "tuning/trial_runner.h"

#include <algorithm>

#include "tuning/tune_request.h"

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

BuilderOptions builder_options(const TuneRequest& request) {
  BuilderOptions options = request.builder;
  options.stop = request.stop;
  options.core = request.cpu.core;
  return options;
}

/// Adds to `sum` the seconds that it lives.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : sum_(sum) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double>(Clock::now() - begin_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_;
  Clock::time_point begin_ = Clock::now();
};

bool contains(const std::vector<Candidate>& candidates, const Candidate& wanted) {
  return std::any_of(candidates.begin(), candidates.end(),
                     [&](const Candidate& c) { return c.same_kernel(wanted); });
}

}  // namespace

TrialRunner::TrialRunner(const TuneRequest& request, const SearchSpace& space, TrialBook& book)
    : request_(request),
      space_(space),
      book_(book),
      builder_(builder_options(request)),
      measurer_(measurer_options()) {}

Measurer::Options TrialRunner::measurer_options() const {
  Measurer::Options options = gatefold::measurer_options(request_);
  options.report = [this](const std::string& phase) { report(phase); };
  return options;
}

double TrialRunner::elapsed_s() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void TrialRunner::report(const std::string& phase) const {
  if (!request_.progress) return;
  request_.progress({phase, book_.size(), request_.trials, elapsed_s(), request_.budget_s,
                     book_.best_speedup(), measured_now_});
}

std::vector<BuiltCandidate> TrialRunner::build(const std::vector<Candidate>& candidates) {
  std::vector<KernelSpec> kernels;
  for (const Candidate& c : candidates) {
    kernels.push_back(space_.kernel(c.packing, c.bucket, c.point));
  }
  report("compiling " + std::to_string(kernels.size()) + " kernels");
  const Stopwatch compiling(spent_.compiling);
  return builder_.build(kernels);
}

MeasureReply TrialRunner::measure(const MeasureRequest& request) {
  const Stopwatch measuring(spent_.measuring);
  return measurer_.measure(request);
}

TuneSeconds TrialRunner::seconds() const {
  TuneSeconds seconds = spent_;
  seconds.total = elapsed_s();
  return seconds;
}

MeasureRequest TrialRunner::request_for(size_t bucket) const {
  MeasureRequest request;
  request.ffn = space_.ffn;
  request.target = space_.target;
  request.rows = space_.buckets.at(bucket).tuned_rows;
  request.threads = request_.threads;
  request.seed = request_.seed;
  return request;
}

/// The batch's places need their default points as anchors, which may be trials of earlier runs.
std::vector<Candidate> TrialRunner::missing_anchors(const std::vector<Candidate>& batch) const {
  std::vector<Candidate> anchors;
  for (const Candidate& c : batch) {
    const Candidate anchor = book_.anchor_of(c);
    const TrialRecord* trial = book_.find(anchor);
    if (!trial || trial->result.kind != TrialKind::ok) continue;
    if (!contains(batch, anchor) && !contains(anchors, anchor)) anchors.push_back(anchor);
  }
  return anchors;
}

/// Whether the trial is decided without measuring: it did not compile, or its code is another's.
bool TrialRunner::settle_unmeasured(const Candidate& c, const BuiltCandidate& built) {
  if (built.kind != TrialKind::ok) {
    TrialResult result;
    result.kind = built.kind;
    result.message = built.message;
    // Not begun because of a stop: no result at all.
    if (built.kind != TrialKind::invalid || !built.message.empty()) record(c, built, result);
    return true;
  }
  const TrialRecord* twin = book_.find_code(c, built.code_hash);
  if (!twin) return false;
  TrialResult result = twin->result;
  if (twin->point == book_.anchor_of(c).point && result.kind == TrialKind::ok) result.ratio = 1;
  record(c, built, result);
  return true;
}

void TrialRunner::run(const std::vector<Candidate>& batch) {
  std::vector<Candidate> fresh;
  for (const Candidate& c : batch) {
    if (!book_.find(c)) fresh.push_back(c);
  }
  if (fresh.empty()) return;
  std::vector<Candidate> all = fresh;
  for (const Candidate& anchor : missing_anchors(fresh)) all.push_back(anchor);
  const std::vector<BuiltCandidate> built = build(all);
  for (size_t i = 0; i < fresh.size(); ++i) {
    if (settle_unmeasured(fresh[i], built[i])) continue;
    if (stopped()) return;
    measure_beside_anchor(fresh[i], built[i]);
  }
}

void TrialRunner::record(const Candidate& c, const BuiltCandidate& built,
                         const TrialResult& result) {
  TrialRecord trial;
  trial.bucket = space_.buckets.at(c.bucket);
  trial.packing = space_.packings.at(c.packing);
  trial.point = c.point;
  trial.proposer = c.proposer;
  trial.result = result;
  trial.compile_ms = built.compile_ms;
  trial.code_hash = built.code_hash;
  trial.seed = request_.seed;
  book_.add(c, trial);
  ++measured_now_;
  if (result.kind == TrialKind::ok && !spent_.first_result) spent_.first_result = elapsed_s();
}

}  // namespace gatefold
