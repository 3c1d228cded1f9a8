#include "runtime/reference/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gatefold {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// |y - r|: 0 if both are NaN or the same infinity, infinite if only one is finite.
double deviation(double y, double r) {
  if (std::isnan(r)) return std::isnan(y) ? 0 : kInfinite;
  if (std::isinf(r)) return y == r ? 0 : kInfinite;
  return std::isfinite(y) ? std::fabs(y - r) : kInfinite;
}

double ratio(double a, double b) { return a == 0 ? 0 : b == 0 ? kInfinite : a / b; }

double bound_of(const ReferenceResult& r, size_t i, const Tolerance& t) {
  return t.output * std::fabs(r.y[i]) + t.least + t.hidden * r.spread[i] +
         t.sums * (r.scale[i] + r.drift[i]);
}

}  // namespace

Comparison compare(const std::vector<float>& y, const ReferenceResult& r, const Tolerance& t) {
  Comparison c;
  if (y.size() != r.y.size()) {
    c.max_abs = c.rel_l2 = c.scaled = c.worst = kInfinite;
    return c;
  }
  double errors = 0, results = 0, scales = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    const double error = deviation(double{y[i]}, r.y[i]);
    c.max_abs = std::max(c.max_abs, error);
    errors += error * error;
    if (!std::isfinite(r.y[i])) continue;
    results += r.y[i] * r.y[i];
    scales += r.scale[i] * r.scale[i];
    const double relative = ratio(error, bound_of(r, i, t));
    if (relative <= c.worst) continue;
    c.worst = relative;
    c.worst_index = static_cast<int64_t>(i);
  }
  c.rel_l2 = ratio(std::sqrt(errors), std::sqrt(results));
  c.scaled = ratio(std::sqrt(errors), std::sqrt(scales));
  return c;
}

bool acceptable(const Comparison& c, const Tolerance& t, int64_t d_model, int64_t d_ff) {
  const bool relative = d_model >= kRelativeFrom && d_ff >= kRelativeFrom;
  return (!relative || c.rel_l2 <= t.rel_l2) && c.scaled <= t.scaled && c.worst <= 1;
}

std::vector<float> sampled(const std::vector<float>& y, int64_t d_model,
                           const ReferenceSample& sample) {
  const int64_t rows = d_model > 0 ? static_cast<int64_t>(y.size()) / d_model : 0;
  std::vector<float> out;
  const int64_t row_count = sample.rows.empty() ? rows : static_cast<int64_t>(sample.rows.size());
  for (int64_t i = 0; i < row_count; ++i) {
    const int64_t row = sample.rows.empty() ? i : sample.rows[static_cast<size_t>(i)];
    const int64_t column_count =
        sample.columns.empty() ? d_model : static_cast<int64_t>(sample.columns.size());
    for (int64_t j = 0; j < column_count; ++j) {
      const int64_t column = sample.columns.empty() ? j : sample.columns[static_cast<size_t>(j)];
      out.push_back(y[static_cast<size_t>(row * d_model + column)]);
    }
  }
  return out;
}

}  // namespace gatefold
