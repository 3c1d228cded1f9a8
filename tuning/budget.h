#pragma once

#include <string>
#include <vector>

namespace gatefold {

/// Seconds of "60s", "2m", "1h", or of a number without a unit. A usage error that begins with
/// `what` if it is no time above 0 and up to a week.
double parse_budget(const std::string& text, const std::string& what);

/// How thoroughly one workload is searched, by name.
struct Effort {
  std::string name;
  int trials = 0;
};
const std::vector<Effort>& all_efforts();

/// Throws a usage error with the nearest name if there is no such effort.
const Effort& effort_named(const std::string& name);

/// "45 s", "12 min", "3 h 20 min"
std::string duration_text(double seconds);

}  // namespace gatefold
