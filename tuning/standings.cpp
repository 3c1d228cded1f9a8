#include "tuning/standings.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tuning/race.h"

namespace gatefold {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

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

}  // namespace gatefold
