#include "tuning/drift.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gatefold {

double drift_of(const TrialResult& anchor) {
  std::vector<double> taken;
  for (double ms : anchor.samples) {
    if (std::isfinite(ms) && ms > 0) taken.push_back(ms);
  }
  if (taken.size() < 2) return 0;
  const auto half = static_cast<std::ptrdiff_t>(taken.size() / 2);
  const double begin = *std::min_element(taken.begin(), taken.begin() + half);
  const double end = *std::min_element(taken.end() - half, taken.end());
  return std::max(begin, end) / std::min(begin, end) - 1;
}

}  // namespace gatefold
