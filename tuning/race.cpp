#include "tuning/race.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gatefold {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

bool usable(double ms) { return std::isfinite(ms) && ms > 0; }

std::vector<double> log_ratios(std::span<const double> challenger, std::span<const double> base) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(challenger.size(), base.size()); ++i) {
    if (usable(challenger[i]) && usable(base[i])) {
      ratios.push_back(std::log(challenger[i] / base[i]));
    }
  }
  return ratios;
}

double standard_error(const std::vector<double>& values, double centre) {
  double squares = 0;
  for (double v : values) squares += (v - centre) * (v - centre);
  const double n = static_cast<double>(values.size());
  return std::sqrt(squares / (n - 1) / n);
}

Paired by_student(const std::vector<double>& ratios, double alpha) {
  const double n = static_cast<double>(ratios.size());
  const double mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / n;
  const double error = standard_error(ratios, mean);
  const double reach = student_quantile(1 - alpha / 2, static_cast<int>(n) - 1) * error;
  return {std::exp(mean), std::exp(mean - reach), std::exp(mean + reach), error, ratios.size()};
}

/// All averages of two rounds, sorted: their median is the Hodges-Lehmann estimate.
std::vector<double> walsh_averages(const std::vector<double>& values) {
  std::vector<double> averages;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t j = i; j < values.size(); ++j) averages.push_back((values[i] + values[j]) / 2);
  }
  std::sort(averages.begin(), averages.end());
  return averages;
}

/// How many averages to leave out at each end for confidence 1 - alpha: exact, from the number of
/// ways in which signed ranks can sum up. Nothing if there are too few rounds for the level.
std::optional<size_t> averages_to_skip(size_t rounds, double alpha) {
  std::vector<double> ways(rounds * (rounds + 1) / 2 + 1, 0.0);
  ways[0] = 1;
  for (size_t rank = 1; rank <= rounds; ++rank) {
    for (size_t sum = ways.size() - 1; sum >= rank; --sum) ways[sum] += ways[sum - rank];
  }
  double left = alpha / 2 * std::ldexp(1.0, static_cast<int>(rounds));
  std::optional<size_t> skip;
  for (size_t sum = 0; sum < ways.size() && (left -= ways[sum]) >= 0; ++sum) skip = sum;
  return skip;
}

Paired by_ranks(const std::vector<double>& ratios, double alpha) {
  const std::vector<double> averages = walsh_averages(ratios);
  const double z = normal_quantile(1 - alpha / 2);
  const std::optional<size_t> skip = averages_to_skip(ratios.size(), alpha);
  if (!skip) return by_student(ratios, alpha);
  const double low = averages[*skip], high = averages[averages.size() - 1 - *skip];
  return {std::exp(median(averages)), std::exp(low), std::exp(high), (high - low) / (2 * z),
          ratios.size()};
}

size_t fastest(const std::vector<Paired>& against_default, std::optional<size_t> except) {
  size_t best = except == 0 ? 1 : 0;
  for (size_t i = 0; i < against_default.size(); ++i) {
    if (i != except && against_default[i].ratio < against_default[best].ratio) best = i;
  }
  return best;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return kNan;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (double v : values) sum += std::log(v);
  return values.empty() ? kNan : std::exp(sum / static_cast<double>(values.size()));
}

Paired compare_paired(std::span<const double> challenger, std::span<const double> base,
                      double alpha) {
  const std::vector<double> ratios = log_ratios(challenger, base);
  if (ratios.empty()) return {kInfinity, 0, kInfinity, kInfinity, 0};
  if (ratios.size() == 1) return {std::exp(ratios[0]), 0, kInfinity, kInfinity, 1};
  return ratios.size() < 6 ? by_student(ratios, alpha) : by_ranks(ratios, alpha);
}

RaceResult decide_race(const std::vector<Racer>& racers, size_t default_index, double alpha) {
  RaceResult result;
  const double level = alpha / static_cast<double>(std::max<size_t>(1, racers.size() - 1));
  const std::vector<double>& base = racers.at(default_index).samples;
  for (size_t i = 0; i < racers.size(); ++i) {
    result.against_default.push_back(i == default_index
                                         ? Paired{1, 1, 1, 0, base.size()}
                                         : compare_paired(racers[i].samples, base, level));
  }
  const size_t best = fastest(result.against_default, std::nullopt);
  result.winner = result.against_default[best].faster() ? best : default_index;
  if (racers.size() < 2) return result;
  result.runner_up = fastest(result.against_default, result.winner);
  const Paired behind =
      compare_paired(racers[*result.runner_up].samples, racers[result.winner].samples, alpha);
  if (std::isfinite(behind.ratio)) result.margin_pct = 100 * (behind.ratio - 1);
  return result;
}

}  // namespace gatefold
