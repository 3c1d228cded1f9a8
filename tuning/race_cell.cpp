#include <fmt/format.h>

#include <cmath>

#include "spec/error.h"
#include "tuning/device_point.h"
#include "tuning/roofline.h"
#include "tuning/store_rows.h"

namespace gatefold {
namespace {

/// One cell as it was read, and where from.
class CellCheck {
 public:
  explicit CellCheck(const std::string& where) : where_(where) {}

  void point(const char* field, const std::string& text, bool may_be_missing) const {
    if (text.empty() && may_be_missing) return;
    try {
      check_point_text(text);
    } catch (const Error& e) {
      fail(where_ + field + ": " + e.what());
    }
  }
  void word(const char* field, const std::string& text,
            std::initializer_list<const char*> known) const {
    std::string wanted;
    for (const char* word : known) {
      if (text == word) return;
      wanted += (wanted.empty() ? "'" : " or '") + std::string(word) + "'";
    }
    fail(fmt::format("{}{}: '{}', wanted {}", where_, field, text.substr(0, 40), wanted));
  }
  void time(const char* field, double ms) const {
    if (!std::isfinite(ms) || ms <= 0) wrong(field, ms, "milliseconds above 0");
  }
  void time(const char* field, std::optional<double> ms) const {
    if (ms) time(field, *ms);
  }
  void within(const char* field, std::optional<double> value, double least, double most,
              const char* wanted) const {
    if (value && !(*value >= least && *value <= most)) wrong(field, *value, wanted);
  }

 private:
  [[noreturn]] void wrong(const char* field, double value, const char* wanted) const {
    const std::string found = std::isnan(value) ? "null" : fmt::format("{}", value);
    fail(where_ + field + ": " + found + ", wanted " + wanted);
  }
  const std::string& where_;
};

void check_points(const RaceCell& c, const CellCheck& check) {
  check.point("point", c.point, false);
  check.point("default_point", c.default_point, true);
  check.point("unfused_point", c.unfused_point, true);
  check.point("runner_up", c.runner_up, true);
  check.word("origin", c.origin, {"tuned", "default", kModelOrigin});
  check.word("bound", c.bound, {"memory", "compute", ""});
}

}  // namespace

void check_cell(const RaceCell& c, bool current, const std::string& where) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const CellCheck check(where);
  if (current) check_points(c, check);
  // What was worked out has no times.
  if (c.origin != kModelOrigin || !std::isnan(c.median_ms)) check.time("median_ms", c.median_ms);
  check.time("default_ms", c.default_ms);
  check.time("unfused_ms", c.unfused_ms);
  check.time("runner_up_ms", c.runner_up_ms);
  check.within("margin_pct", c.margin_pct, -100, kLargest, "a percentage above -100 or null");
  for (const auto& [field, ratio] :
       {std::pair("ratio", c.ratio), {"ratio_low", c.ratio_low}, {"ratio_high", c.ratio_high}}) {
    check.within(field, ratio, 0, kLargest, "a ratio of 0 or more, or null");
  }
  check.within("efficiency", c.efficiency, 0, kHighestEfficiency, "0 to 1.05 or null");
}

}  // namespace gatefold
