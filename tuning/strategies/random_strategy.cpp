#include "tuning/strategies/random_strategy.h"

#include <algorithm>

#include "schedules/space.h"

namespace gatefold {

RandomStrategy::RandomStrategy(const StrategyInput& input)
    : space_(input.space),
      seed_(input.seed),
      random_(input.seed),
      standings_(space_),
      pools_(space_.packings.size(), std::vector<Pool>(space_.buckets.size())) {
  const SearchSpace& space = space_;
  for (size_t p = 0; p < space.packings.size(); ++p) {
    if (!space.searched(p)) continue;
    for (size_t b = 0; b < space.buckets.size(); ++b) {
      seeds_.push_back({p, b, space.default_point(p, b), "default"});
    }
  }
}

RandomStrategy::Pool& RandomStrategy::pool(size_t packing, size_t bucket) {
  Pool& pool = pools_[packing][bucket];
  if (pool.made) return pool;
  pool.made = true;
  pool.left = legal_points(space_.kernel(packing, bucket));
  std::erase(pool.left, space_.default_point(packing, bucket));
  // A stream of its own: the order does not depend on what was asked of other pools before.
  SeededRandom own(seed_ ^ (0x517cc1b727220a95u * (1 + packing * 1000003 + bucket)));
  shuffle(pool.left, own);
  return pool;
}

std::optional<Candidate> RandomStrategy::ask_bucket(size_t bucket) {
  std::vector<size_t> packings = standings_.within(kHopelessRatio);
  std::erase_if(packings, [&](size_t p) { return !space_.searched(p); });
  while (!packings.empty()) {
    const size_t chosen = random_.below(packings.size());
    Pool& from = pool(packings[chosen], bucket);
    if (from.left.empty()) {
      packings.erase(packings.begin() + static_cast<std::ptrdiff_t>(chosen));
      continue;
    }
    const SchedulePoint point = from.left.back();
    from.left.pop_back();
    return Candidate{packings[chosen], bucket, point, "random"};
  }
  return std::nullopt;
}

std::optional<Candidate> RandomStrategy::ask() {
  if (!seeds_.empty()) {
    Candidate seed = seeds_.front();
    seeds_.pop_front();
    return seed;
  }
  for (size_t tried = 0; tried < space_.buckets.size(); ++tried) {
    const size_t bucket = next_bucket_;
    next_bucket_ = (next_bucket_ + 1) % space_.buckets.size();
    if (std::optional<Candidate> candidate = ask_bucket(bucket)) return candidate;
  }
  return std::nullopt;
}

void RandomStrategy::tell(const Candidate& candidate, double ms) { standings_.tell(candidate, ms); }

}  // namespace gatefold
