#include "tuning/importance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace gatefold {
namespace {

struct Sample {
  int value;
  double log_ms;
};

/// Sum and number of the samples with one value.
struct Group {
  double sum = 0;
  int count = 0;
};

/// Epsilon squared: the variance between groups less what chance puts there, over all variance.
double explained(const std::vector<Sample>& samples) {
  std::map<int, Group> groups;
  double sum = 0, squares = 0;
  for (const Sample& s : samples) {
    Group& g = groups[s.value];
    g.sum += s.log_ms, ++g.count;
    sum += s.log_ms;
  }
  const double n = static_cast<double>(samples.size()), mean = sum / n;
  for (const Sample& s : samples) squares += (s.log_ms - mean) * (s.log_ms - mean);
  const double k = static_cast<double>(groups.size());
  if (k < 2 || n <= k || squares < 1e-18 * n) return 0;
  double between = 0;
  for (const auto& [value, g] : groups) {
    const double off = g.sum / g.count - mean;
    between += g.count * off * off;
  }
  const double by_chance = (squares - between) / (n - k);  // of one group's worth of freedom
  return std::clamp((between - (k - 1) * by_chance) / squares, 0.0, 1.0);
}

using Value = std::function<int(const SchedulePoint&)>;

double share_of(const std::vector<TimedPoint>& points, const Value& value) {
  std::vector<Sample> samples;
  for (const TimedPoint& p : points) {
    if (p.ms > 0 && std::isfinite(p.ms)) samples.push_back({value(p.point), std::log(p.ms)});
  }
  return samples.empty() ? 0 : explained(samples);
}

}  // namespace

std::vector<TunableShare> tunable_shares(const std::vector<TimedPoint>& points) {
  std::vector<TunableShare> shares = {
      {"fusion", share_of(points, [](const auto& p) { return static_cast<int>(p.fusion); })}};
  for (const Tunable& t : kTunables) {
    shares.push_back({t.name, share_of(points, [&](const auto& p) { return p.*t.value; })});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  return shares;
}

}  // namespace gatefold
