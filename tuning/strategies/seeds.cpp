#include "tuning/strategies/seeds.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace gatefold {
namespace {

constexpr size_t kSeedsPerBucket = 8, kFewestPerBucket = 2;
constexpr size_t kBestByModel = 2;  // taken as they are
constexpr size_t kFewestToChooseFrom = 32;
constexpr size_t kBestShare = 20;  // the model's best 1 / 20
constexpr size_t kSampledForSpread = 200;

std::vector<PointId> defaults_of(const BucketPoints& points) {
  std::vector<PointId> ids;
  for (size_t p = 0; p < points.packings(); ++p) {
    if (const auto id = points.default_of(p)) ids.push_back(*id);
  }
  return ids;
}

std::vector<PointId> without(std::vector<PointId> ids, const std::vector<PointId>& out) {
  std::erase_if(ids,
                [&](PointId id) { return std::find(out.begin(), out.end(), id) != out.end(); });
  return ids;
}

/// The two best, then of the best few percent those that differ most.
std::vector<PointId> model_seeds(const BucketPoints& points, const std::vector<double>& predicted) {
  std::vector<PointId> ids(points.size());
  std::iota(ids.begin(), ids.end(), 0);
  std::stable_sort(ids.begin(), ids.end(),
                   [&](PointId a, PointId b) { return predicted[a] < predicted[b]; });
  ids = without(std::move(ids), defaults_of(points));
  ids.resize(std::min(ids.size(), std::max(kFewestToChooseFrom, points.size() / kBestShare)));
  std::vector<PointId> chosen(ids.begin(), ids.begin() + std::min(ids.size(), kBestByModel));
  const size_t more = std::min(ids.size(), kSeedsPerBucket) - chosen.size();
  for (PointId id : most_different(points, ids, chosen, more)) chosen.push_back(id);
  return chosen;
}

std::vector<PointId> spread_seeds(const BucketPoints& points, uint64_t seed) {
  SeededRandom random(seed ^ (0x2545f4914f6cdd1du * (1 + points.bucket())));
  std::vector<PointId> pool;
  for (size_t i = 0; i < std::min(kSampledForSpread, points.size()); ++i) {
    pool.push_back(static_cast<PointId>(random.below(points.size())));
  }
  return most_different(points, without(pool, defaults_of(points)), defaults_of(points),
                        kSeedsPerBucket);
}

size_t seeds_per_bucket(const StrategyInput& input, size_t defaults, size_t buckets) {
  if (!input.budget) return kSeedsPerBucket;
  const size_t half = static_cast<size_t>(*input.budget) / 2;
  const size_t left = half > defaults ? (half - defaults) / buckets : 0;
  return std::clamp(left, kFewestPerBucket, kSeedsPerBucket);
}

}  // namespace

std::vector<PointId> most_different(const BucketPoints& points, const std::vector<PointId>& pool,
                                    std::vector<PointId> chosen, size_t count) {
  std::vector<int> nearest(pool.size(), std::numeric_limits<int>::max());
  const auto update = [&](PointId to) {
    for (size_t i = 0; i < pool.size(); ++i) {
      nearest[i] = std::min(nearest[i], points.hamming(pool[i], to));
    }
  };
  for (PointId id : chosen) update(id);
  std::vector<PointId> added;
  while (added.size() < count && !pool.empty()) {
    const auto most = std::max_element(nearest.begin(), nearest.end());
    if (*most == 0) break;
    added.push_back(pool[static_cast<size_t>(most - nearest.begin())]);
    update(added.back());
  }
  return added;
}

std::deque<Seed> seeds_of(Ledger& ledger, const StrategyInput& input) {
  std::deque<Seed> seeds;
  const SearchSpace& space = ledger.space();
  for (size_t p = 0; p < space.packings.size(); ++p) {
    for (size_t b = 0; b < ledger.buckets(); ++b) {
      if (const auto id = ledger.points(b).default_of(p)) seeds.push_back({b, *id, "default"});
    }
  }
  const size_t each = seeds_per_bucket(input, seeds.size(), ledger.buckets());
  std::vector<std::vector<PointId>> best;
  for (size_t b = 0; b < ledger.buckets(); ++b) {
    const std::vector<double>& predicted = ledger.index().predicted(b);
    best.push_back(predicted.empty() ? spread_seeds(ledger.points(b), input.seed)
                                     : model_seeds(ledger.points(b), predicted));
  }
  for (size_t rank = 0; rank < each; ++rank) {
    for (size_t b = 0; b < ledger.buckets(); ++b) {
      const char* proposer = ledger.index().predicted(b).empty() ? "spread" : "model";
      if (rank < best[b].size()) seeds.push_back({b, best[b][rank], proposer});
    }
  }
  for (const Candidate& c : input.known) {
    if (c.bucket >= ledger.buckets()) continue;
    const auto id = ledger.points(c.bucket).find(c.packing, c.point);
    if (id) seeds.push_back({c.bucket, *id, "known"});
  }
  return seeds;
}

}  // namespace gatefold
