#include "tuning/strategies/surrogate.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gatefold {
namespace {

constexpr int kTrees = 24;
constexpr size_t kFewestAnswers = 4;
constexpr int kAnswersPerFit = 32;
constexpr size_t kMostLookedAt = 1500, kSampled = 1000, kElites = 3;
constexpr size_t kGoodShare = 4;  // the best quarter is what promises are about
constexpr double kOptimism = 0.5;
// What is four times behind or failed is bad; how bad must not cost the trees their splits.
constexpr double kWorstLog = 1.3863;
constexpr double kMillionths = 1e6;

int32_t millionths(double value) { return static_cast<int32_t>(std::lround(kMillionths * value)); }

}  // namespace

Surrogate::Surrogate(Ledger& ledger, size_t bucket, uint64_t seed)
    : ledger_(ledger),
      bucket_(bucket),
      seed_(seed),
      times_(ledger.index().features(bucket), kTrees),
      promises_(ledger.index().features(bucket), kTrees) {}

bool Surrogate::update() {
  if (ledger_.told(bucket_).size() < kFewestAnswers) return false;
  // A few answers more change little where there are hundreds.
  const int answers = ledger_.answers(bucket_);
  if (learnt_ == 0 || answers - learnt_ >= std::max(1, answers / kAnswersPerFit)) {
    learnt_ = answers;
    learn();
  }
  return true;
}

void Surrogate::learn() {
  const std::vector<PointId>& told = ledger_.told(bucket_);
  std::vector<double> raw, joint;
  best_log_ = std::numeric_limits<double>::infinity();
  for (PointId id : told) {
    raw.push_back(std::log(ledger_.ms(bucket_, id)));
    joint.push_back(ledger_.joint_log(bucket_, id, raw.back()));
    best_log_ = std::min(best_log_, raw.back());
  }
  if (!std::isfinite(best_log_)) best_log_ = 0;
  std::vector<double> sorted = joint;
  std::sort(sorted.begin(), sorted.end());
  // At least one answer is good, however few there are.
  const double good = sorted[std::max<size_t>(1, sorted.size() / kGoodShare)];
  std::vector<Observation> times, promises;
  for (size_t i = 0; i < told.size(); ++i) {
    times.push_back({told[i], millionths(std::min(raw[i] - best_log_, kWorstLog))});
    const double better = std::isfinite(joint[i]) ? std::min(0.0, joint[i] - good) : 0.0;
    promises.push_back({told[i], millionths(std::max(better, -kWorstLog))});
  }
  // A stream for each fit: what is proposed later does not depend on how often it was learnt.
  SeededRandom random(seed_ ^ (0x9e6c63d0676a9a99u * (1 + bucket_)) ^
                      (0xd1342543de82ef95u * static_cast<uint64_t>(learnt_)));
  times_.fit(times, random);
  promises_.fit(promises, random);
  look(random);
}

std::vector<PointId> Surrogate::points_to_look_at(SeededRandom& random) {
  const size_t all = ledger_.points(bucket_).size();
  std::vector<PointId> ids;
  size_t step = 1, first = 0;
  if (all > kMostLookedAt) {
    step = (all + kSampled - 1) / kSampled;
    first = random.below(step);
    for (PointId best : ledger_.elites(bucket_, kElites)) {
      for (const Move& near : ledger_.index().moves(bucket_, best)) {
        ids.push_back(near.to);
        for (const Move& next : ledger_.index().moves(bucket_, near.to)) ids.push_back(next.to);
      }
    }
  }
  for (size_t id = first; id < all; id += step) ids.push_back(static_cast<PointId>(id));
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

void Surrogate::look(SeededRandom& random) {
  outlooks_.clear();
  for (PointId id : points_to_look_at(random)) {
    if (ledger_.open(bucket_, id)) outlooks_.push_back(outlook(id));
  }
}

double Surrogate::expected(PointId id) const {
  return ledger_.joint_log(bucket_, id, best_log_ + times_.estimate(id).mean / kMillionths);
}

Surrogate::Outlook Surrogate::outlook(PointId id) const {
  const RegressionForest::Estimate time = times_.estimate(id);
  const double hoped = best_log_ + (time.mean - kOptimism * time.deviation) / kMillionths;
  return {id, ledger_.joint_log(bucket_, id, hoped), promises_.estimate(id).mean / kMillionths};
}

}  // namespace gatefold
