#include "tuning/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "spec/error.h"
#include "spec/names.h"

namespace gatefold {

double parse_budget(const std::string& text, const std::string& what) {
  constexpr double kMostSeconds = 7 * 24 * 3600;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  const std::string unit(rest, end);
  const double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  const double seconds = value * factor;
  if (error != std::errc() || !(seconds > 0 && seconds <= kMostSeconds)) {
    fail_usage(what + ": '" + text + "', wanted a time above 0 and up to 168h such as 60s or 10m");
  }
  return seconds;
}

const std::vector<Effort>& all_efforts() {
  static const std::vector<Effort> efforts = {{"quick", 32}, {"standard", 128}, {"deep", 512}};
  return efforts;
}

const Effort& effort_named(const std::string& name) {
  return find_named(all_efforts(), name, "effort");
}

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "years";
  if (seconds < 100) return fmt::format("{:.0f} s", std::max(0.0, seconds));
  const auto minutes = static_cast<int64_t>(std::lround(seconds / 60));
  if (minutes < 100) return fmt::format("{} min", minutes);
  if (minutes < 100 * 60) return fmt::format("{} h {} min", minutes / 60, minutes % 60);
  return fmt::format("{} days", minutes / (24 * 60));
}

}  // namespace gatefold
