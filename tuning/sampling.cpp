#include "tuning/sampling.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

#include "tuning/race.h"

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAttemptsPerSample = 3;
constexpr int kRoundsBeforeDropping = 2;
constexpr size_t kRoundsToPair = 6;
constexpr size_t kRoundsToCallNoisy = 3;
constexpr double kNoisyLogError = 0.5;

std::vector<double> taken_samples(const TrialResult& result) {
  std::vector<double> taken;
  for (double ms : result.samples) {
    if (std::isfinite(ms)) taken.push_back(ms);
  }
  return taken;
}

double fastest_sample(Contestant& contestant) {
  const std::vector<double> taken = taken_samples(contestant.result());
  return taken.empty() ? INFINITY : *std::min_element(taken.begin(), taken.end());
}

/// With few rounds, of the fastest samples: what disturbs only slows, and a median of three is
/// spoilt by two.
double ratio_of(const TrialResult& r, const TrialResult& anchor, const Paired& paired) {
  if (paired.rounds >= kRoundsToPair) return paired.ratio;
  const std::vector<double> own = taken_samples(r), base = taken_samples(anchor);
  return *std::min_element(own.begin(), own.end()) / *std::min_element(base.begin(), base.end());
}

/// The anchor stays: the others' ratios need its rounds.
void drop_those_behind(std::vector<Contestant>& contestants, double ratio) {
  double fastest = INFINITY;
  for (Contestant& c : contestants) fastest = std::min(fastest, fastest_sample(c));
  for (size_t i = 1; i < contestants.size(); ++i) {
    if (fastest_sample(contestants[i]) > ratio * fastest) contestants[i].drop();
  }
}

}  // namespace

void sample_rounds(std::vector<Contestant>& contestants, const MeasureRequest& request,
                   const StoredInputs& inputs, const SamplingEvents& events) {
  std::vector<size_t> order(contestants.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::mt19937_64 random(request.seed);
  const auto end = Clock::now() + std::chrono::duration<double, std::milli>(request.budget_ms);
  for (int round = 0; round < request.max_rounds; ++round) {
    if (round >= request.min_rounds && Clock::now() > end) break;
    events.round();
    // Every second round is the reverse of the one before: a steady drift falls on all alike.
    if (round % 2) {
      std::reverse(order.begin(), order.end());
    } else {
      std::shuffle(order.begin(), order.end(), random);
    }
    for (Contestant& c : contestants) c.result().samples.push_back(kUnknown);
    for (size_t i : order) {
      if (!contestants[i].racing()) continue;
      events.running(static_cast<int>(i));
      const int attempts = Clock::now() < end ? kAttemptsPerSample : 1;
      contestants[i].result().samples.back() =
          contestants[i].timed_sample(request, inputs, attempts);
    }
    if (request.drop_ratio > 0 && round + 1 >= kRoundsBeforeDropping) {
      drop_those_behind(contestants, request.drop_ratio);
    }
  }
}

void summarise(std::vector<TrialResult>& results) {
  for (size_t i = 0; i < results.size(); ++i) {
    TrialResult& r = results[i];
    r.median_ms = median(taken_samples(r));
    if (r.kind != TrialKind::ok || !std::isfinite(r.median_ms)) continue;
    if (i == 0) {
      r.ratio = 1;
      continue;
    }
    const Paired paired = compare_paired(r.samples, results[0].samples);
    if (paired.rounds > 0) r.ratio = ratio_of(r, results[0], paired);
    if (paired.rounds >= kRoundsToCallNoisy && paired.standard_error > kNoisyLogError) {
      r.kind = TrialKind::noisy;
      r.message = "its rounds differ too much to rank it";
    }
  }
}

}  // namespace gatefold
