#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gatefold {

double median(std::vector<double> values);  ///< NaN of nothing
double geometric_mean(std::span<const double> values);

/// Two schedules timed in the same rounds. Ratios below 1: the challenger is faster.
struct Paired {
  double ratio = 1;  ///< challenger's time / base's time
  double low = 0;    ///< of the interval; 0 and infinity where there are too few rounds for one
  double high = 0;
  double standard_error = 0;  ///< of the ratio's logarithm; infinity if unknown
  size_t rounds = 0;

  bool faster() const { return high < 1; }
  bool slower() const { return low > 1; }
};

/// From the logarithms of the per-round ratios, with confidence 1 - alpha. From six rounds on by
/// ranks (Hodges-Lehmann and Wilcoxon), so that single disturbed rounds do not decide; below by
/// Student's t. Rounds in which either has no finite time are left out.
Paired compare_paired(std::span<const double> challenger, std::span<const double> base,
                      double alpha = 0.05);

/// Quantiles, for tests and intervals.
double normal_quantile(double probability);
double student_quantile(double probability, int degrees);

/// One schedule in the final race.
struct Racer {
  std::vector<double> samples;  ///< ms by round; NaN where it was not timed
};

struct RaceResult {
  size_t winner = 0;
  std::optional<size_t> runner_up;
  std::optional<double> margin_pct;  ///< how much slower the runner-up was; below 0: within noise
  std::vector<Paired> against_default;  ///< by racer; the default's own is 1 exactly
};

/// The fastest racer if its interval against the default excludes that the default is as fast,
/// else the default. The level is divided by the number of challengers: the best of several equal
/// ones would else look faster too often.
RaceResult decide_race(const std::vector<Racer>& racers, size_t default_index, double alpha = 0.05);

}  // namespace gatefold
