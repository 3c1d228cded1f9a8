#include "tuning/trial_runner.h"

#include <algorithm>
#include <cmath>

#include "tuning/drift.h"
#include "tuning/roofline.h"
#include "tuning/tune_request.h"

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

// One request's candidates: enough to share the anchor's time, few enough to lose little when the
// run is interrupted.
constexpr size_t kMostInOneRequest = 4;
constexpr double kDropRatio = 1.25;
// A round runs every racer up to three times; so many times longer, and it counts as hung.
constexpr double kRunsInARound = 3, kPatience = 4;
// Short calls are repeated more often: a few calls of a millisecond say little, and compiling takes
// ten times as long as these.
constexpr int kFewestRounds = 5, kMostRounds = 25;
constexpr double kScreeningMs = 40;   // of one candidate
constexpr double kLeastFlops = 1e10;  // per second, until the first time is known

BuilderOptions builder_options(const TuneRequest& request) {
  BuilderOptions options = request.builder;
  options.stop = request.stop;
  return options;
}

int screening_rounds(double ms) {
  if (!(ms > 0)) return kFewestRounds;
  return static_cast<int>(
      std::clamp<double>(kScreeningMs / (kRunsInARound * ms), kFewestRounds, kMostRounds));
}

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
  return builder_.build(kernels);
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

std::vector<TrialRunner::Group> TrialRunner::grouped(const std::vector<Candidate>& candidates,
                                                     const std::vector<BuiltCandidate>& built) {
  std::vector<Group> groups;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Candidate& c = candidates[i];
    if (settle_unmeasured(c, built[i])) continue;
    const Candidate anchor = book_.anchor_of(c);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.anchor.same_kernel(anchor) && g.members.size() < kMostInOneRequest;
    });
    if (group == groups.end()) group = groups.insert(group, {anchor, {}, {}});
    group->members.push_back(c);
    group->built.push_back(built[i]);
  }
  return groups;
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
  for (const Group& group : grouped(fresh, built)) {
    if (stopped()) return;
    measure_group(group);
  }
}

void TrialRunner::limit_time(size_t bucket, double ms, size_t racers) {
  if (!std::isfinite(ms)) {
    const Shape& s = space_.ffn.shape;
    ms = 2e3 * space_.ffn.variant.matrices() * static_cast<double>(s.d_model * s.d_ff) *
         static_cast<double>(space_.buckets.at(bucket).tuned_rows) / kLeastFlops;
  }
  const double runs = kPatience * kRunsInARound * static_cast<double>(std::max<size_t>(1, racers));
  measurer_.set_candidate_timeout(request_.check_seconds + runs * ms / 1000);
}

/// The library to time first; empty if the default point does not run.
std::vector<std::string> TrialRunner::anchor_library(const Candidate& anchor) {
  const TrialRecord* trial = book_.find(anchor);
  if (!trial || trial->result.kind != TrialKind::ok) return {};
  const KernelSpec kernel = space_.kernel(anchor.packing, anchor.bucket, anchor.point);
  const BuiltCandidate built = builder_.build({kernel})[0];
  if (built.kind != TrialKind::ok) return {};
  return {built.library.string()};
}

/// The anchor is timed with each group: ratios against it are what trials of different requests are
/// compared by.
void TrialRunner::measure_group(const Group& group) {
  const Candidate& anchor = group.anchor;
  MeasureRequest request = request_for(anchor.bucket);
  request.min_rounds = 2;
  request.max_rounds = screening_rounds(book_.screened_ms(anchor));
  request.budget_ms = 300.0 * static_cast<double>(group.members.size() + 1);
  request.drop_ratio = kDropRatio;
  request.libraries = anchor_library(anchor);
  const size_t first = request.libraries.size();
  for (const BuiltCandidate& b : group.built) request.libraries.push_back(b.library.string());
  limit_time(anchor.bucket, book_.screened_ms(anchor), request.libraries.size());
  report("measuring " + std::to_string(request.rows) + " rows");
  const bool anchored = first == 1 || group.members.front().same_kernel(anchor);
  const MeasureReply reply = anchored ? measure_steadily(request) : measure(request);
  if (reply.candidates.empty()) return;
  for (size_t i = 0; i < group.members.size(); ++i) {
    TrialResult result = reply.candidates[first + i];
    if (!anchored) result.ratio = kUnknown;
    if (!group.members[i].same_kernel(anchor)) refuse_above_roof(reply, group.members[i], result);
    record(group.members[i], group.built[i], result);
  }
}

/// The anchor is the canary: where it moved between begin and end, those that ran are timed once
/// more, and the steadier of the two counts. Not oftener: on a machine that never rests the pairs
/// must do.
MeasureReply TrialRunner::measure_steadily(const MeasureRequest& request) {
  MeasureReply reply = measure(request);
  const double drift = reply.candidates.empty() ? 0 : drift_of(reply.candidates.front());
  if (drift <= kMostDrift) return reply;
  report("measuring again: the machine moved by " + std::to_string(std::lround(100 * drift)) +
         " %");
  MeasureRequest again = request;
  again.libraries.clear();
  std::vector<size_t> who;
  for (size_t i = 0; i < reply.candidates.size(); ++i) {
    if (i > 0 && reply.candidates[i].kind != TrialKind::ok) continue;
    who.push_back(i);
    again.libraries.push_back(request.libraries[i]);
  }
  const MeasureReply second = measure(again);
  if (second.candidates.empty()) return {};  // stopped
  if (second.candidates.front().kind != TrialKind::ok) return reply;
  if (drift_of(second.candidates.front()) >= drift) return reply;
  for (size_t i = 0; i < who.size(); ++i) reply.candidates[who[i]] = second.candidates[i];
  return reply;
}

/// Faster than the machine can be: the kernel does not do its work. If the anchor is above the
/// roof too, or what is measured now is higher, the roof was measured too low.
void TrialRunner::refuse_above_roof(const MeasureReply& reply, const Candidate& c, TrialResult& r) {
  if (!reply.cold || r.kind != TrialKind::ok || !std::isfinite(r.ratio)) return;
  const int64_t bytes = packed_weight_bytes(space_.ffn, space_.packings.at(c.packing));
  const int64_t rows = space_.buckets.at(c.bucket).tuned_rows;
  const auto above = [&](double ms) {
    return roofline(space_.ffn, rows, roof(), bytes).ms / ms > kHighestEfficiency;
  };
  const auto suspect = [&] { return above(r.median_ms) && !above(r.median_ms / r.ratio); };
  if (!suspect()) return;
  measure_roof_again();
  if (!suspect()) return;
  r.kind = TrialKind::invalid;
  r.message = "faster than this machine's measured peak";
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
}

}  // namespace gatefold
