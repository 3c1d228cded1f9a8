#include <cmath>
#include <limits>
#include <numbers>

#include "tuning/race.h"

namespace gatefold {
namespace {

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// P(T <= t) for t >= 0, by Simpson's rule on the substitution t = sqrt(n) tan(a), in which the
/// density is cos(a)^(n-1) up to its constant: smooth and bounded for every n >= 1.
double student_cdf(double t, int degrees) {
  constexpr int kSteps = 512;
  const double n = degrees;
  const double end = std::atan(t / std::sqrt(n)), step = end / kSteps;
  const auto density = [&](double a) { return std::pow(std::cos(a), n - 1); };
  double sum = density(0) + density(end);
  for (int i = 1; i < kSteps; ++i) sum += density(i * step) * (i % 2 ? 4 : 2);
  const double constant =
      std::exp(std::lgamma((n + 1) / 2) - std::lgamma(n / 2)) / std::sqrt(std::numbers::pi);
  return 0.5 + constant * sum * step / 3;
}

/// The x in [low, high] where the rising function reaches `wanted`.
template <typename Function>
double bisect(Function rising, double wanted, double low, double high) {
  for (int i = 0; i < 200 && high - low > 1e-12 * std::fabs(high); ++i) {
    const double middle = (low + high) / 2;
    (rising(middle) < wanted ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double normal_quantile(double probability) { return bisect(normal_cdf, probability, -40, 40); }

double student_quantile(double probability, int degrees) {
  if (degrees < 1) return std::numeric_limits<double>::infinity();
  if (probability < 0.5) return -student_quantile(1 - probability, degrees);
  return bisect([&](double t) { return student_cdf(t, degrees); }, probability, 0, 1e7);
}

}  // namespace gatefold
