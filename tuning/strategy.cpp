#include "tuning/strategy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "spec/names.h"
#include "tuning/race.h"
#include "tuning/random_strategy.h"

namespace gatefold {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

const std::vector<StrategyInfo>& all_strategies() {
  static const std::vector<StrategyInfo> strategies = {
      {"random", "the analytic default of every packing, then random points without replacement"},
  };
  return strategies;
}

void check_strategy(const std::string& name) { find_named(all_strategies(), name, "strategy"); }

std::unique_ptr<Strategy> make_strategy(const std::string& name, const SearchSpace& space,
                                        uint64_t seed) {
  check_strategy(name);
  return std::make_unique<RandomStrategy>(space, seed);
}

Standings::Standings(const SearchSpace& space)
    : best_(space.packings.size(), std::vector<double>(space.buckets.size(), kInfinity)) {}

void Standings::tell(const Candidate& candidate, double ms) {
  double& best = best_.at(candidate.packing).at(candidate.bucket);
  if (ms > 0) best = std::min(best, ms);
}

double Standings::objective(size_t packing) const {
  const std::vector<double>& times = best_.at(packing);
  const bool complete =
      std::all_of(times.begin(), times.end(), [](double t) { return std::isfinite(t); });
  return complete ? geometric_mean(times) : kInfinity;
}

size_t Standings::best_packing() const {
  size_t best = 0;
  for (size_t p = 1; p < best_.size(); ++p) {
    if (objective(p) < objective(best)) best = p;
  }
  return best;
}

std::vector<size_t> Standings::within(double ratio) const {
  std::vector<size_t> near;
  const double limit = objective(best_packing()) * ratio;
  for (size_t p = 0; p < best_.size(); ++p) {
    if (!(objective(p) > limit)) near.push_back(p);
  }
  return near;
}

uint64_t SeededRandom::next() {
  state_ += 0x9e3779b97f4a7c15u;  // splitmix64
  uint64_t x = state_;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t SeededRandom::below(uint64_t bound) {
  // Values beyond the last whole multiple of the bound are drawn again, or the low ones come more
  // often.
  const uint64_t last = std::numeric_limits<uint64_t>::max() / bound * bound;
  uint64_t value = next();
  while (value >= last) value = next();
  return value % bound;
}

}  // namespace gatefold
