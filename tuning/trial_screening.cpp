#include <algorithm>
#include <cmath>

#include "tuning/drift.h"
#include "tuning/roofline.h"
#include "tuning/trial_runner.h"

// How a candidate is timed before the final race: beside its anchor, briefly.

namespace gatefold {
namespace {

constexpr double kDropRatio = 1.25;
// A round runs every racer up to three times; so many times longer, and it counts as hung.
constexpr double kRunsInARound = 3, kPatience = 4;
// Short calls are repeated more often: a few calls of a millisecond say little, and compiling takes
// ten times as long as these.
constexpr int kFewestRounds = 5, kMostRounds = 25;
constexpr double kScreeningMs = 40;   // of one candidate
constexpr double kLeastFlops = 1e10;  // per second, until the first time is known

int screening_rounds(double ms) {
  if (!(ms > 0)) return kFewestRounds;
  return static_cast<int>(
      std::clamp<double>(kScreeningMs / (kRunsInARound * ms), kFewestRounds, kMostRounds));
}

}  // namespace

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

/// The anchor is timed with each candidate: ratios against it are what trials of different requests
/// are compared by. One candidate a request, so that a killed run loses no more than that.
void TrialRunner::measure_beside_anchor(const Candidate& c, const BuiltCandidate& built) {
  const Candidate anchor = book_.anchor_of(c);
  const bool is_anchor = c.same_kernel(anchor);
  MeasureRequest request = request_for(anchor.bucket);
  if (!is_anchor) request.libraries = anchor_library(anchor);
  request.libraries.push_back(built.library.string());
  const size_t racers = request.libraries.size();
  const double anchor_ms = book_.screened_ms(anchor);
  request.min_rounds = 2;
  request.max_rounds = screening_rounds(anchor_ms);
  request.budget_ms = 300.0 * static_cast<double>(racers);
  request.drop_ratio = kDropRatio;
  limit_time(anchor.bucket, anchor_ms, racers);
  report("measuring " + std::to_string(request.rows) + " rows");
  const bool anchored = is_anchor || racers == 2;
  const MeasureReply reply = anchored ? measure_steadily(request) : measure(request);
  if (reply.candidates.empty()) return;
  TrialResult result = reply.candidates.back();
  if (!anchored) result.ratio = kUnknown;
  if (!is_anchor) refuse_above_roof(reply, c, result);
  record(c, built, result);
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

}  // namespace gatefold
