#include "spec/point.h"

#include <charconv>
#include <functional>
#include <set>
#include <sstream>
#include <vector>

#include "spec/names.h"

namespace gatefold {
namespace {

int parse_tunable(std::string_view key, std::string_view value) {
  int number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 0) {
    fail_usage("schedule point: " + std::string(key) + "=" + std::string(value) +
               ", wanted a number of 0 or more");
  }
  return number;
}

using Assign = std::function<bool(const std::string& key, const std::string& value)>;

/// Splits "a=1 b=2" and hands each pair to `assign`, which says whether it knows the name.
void for_each_pair(std::string_view text, const char* what, const Assign& assign) {
  std::istringstream words{std::string(text)};
  std::set<std::string> seen;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) {
      fail_usage(std::string(what) + ": '" + word + "', wanted name=value");
    }
    const std::string key = word.substr(0, equals);
    if (!seen.insert(key).second) fail_usage(std::string(what) + ": '" + key + "' stands twice");
    if (!assign(key, word.substr(equals + 1))) {
      fail_usage(std::string(what) + ": unknown name '" + key + "' in '" + std::string(text) + "'");
    }
  }
  if (seen.empty()) fail_usage(std::string(what) + ": empty, wanted name=value …");
}

}  // namespace

const char* name(Fusion fusion) {
  switch (fusion) {
    case Fusion::unfused:
      return "unfused";
    case Fusion::gated:
      return "gated";
    case Fusion::streamed:
      return "streamed";
    case Fusion::blocked:
      return "blocked";
  }
  return "";
}

Fusion fusion_named(std::string_view wanted) {
  std::vector<std::string> names;
  for (Fusion f : {Fusion::unfused, Fusion::gated, Fusion::blocked, Fusion::streamed}) {
    if (wanted == name(f)) return f;
    names.emplace_back(name(f));
  }
  fail_usage(unknown_name_message("fusion", wanted, names));
}

int64_t packed_lines(const Packing& packing, int64_t length) {
  const int64_t line = int64_t{packing.pair} * packing.k_step;
  const int64_t lines = (length + line - 1) / line;
  return (lines + packing.k_lines - 1) / packing.k_lines * packing.k_lines;
}

int64_t packed_panels(const Packing& packing, int64_t columns) {
  const int64_t panels = (columns + packing.panel - 1) / packing.panel;
  return (panels + packing.group - 1) / packing.group * packing.group;
}

int64_t packed_elements(const Packing& packing, int64_t out, int64_t in) {
  return packed_panels(packing, out) * packing.panel * packed_lines(packing, in) * packing.k_step *
         packing.pair;
}

std::string Packing::text() const {
  return "panel=" + std::to_string(panel) + " pair=" + std::to_string(pair) +
         " k_step=" + std::to_string(k_step) + " k_lines=" + std::to_string(k_lines) +
         " group=" + std::to_string(group);
}

std::string SchedulePoint::text() const {
  std::string out = std::string("fusion=") + name(fusion);
  for (const Tunable& t : kTunables) {
    if (t.rare && this->*t.value == SchedulePoint{}.*t.value) continue;
    out += std::string(" ") + t.name + "=" + std::to_string(this->*t.value);
  }
  return out;
}

bool is_tensor_core_point(std::string_view text) { return text.starts_with("bm="); }

SchedulePoint parse_point(std::string_view text, const SchedulePoint& base) {
  SchedulePoint point = base;
  for_each_pair(text, "schedule point", [&](const std::string& key, const std::string& value) {
    if (key == "fusion") {
      point.fusion = fusion_named(value);
      return true;
    }
    for (const Tunable& t : kTunables) {
      if (key != t.name) continue;
      point.*t.value = parse_tunable(key, value);
      return true;
    }
    return false;
  });
  return point;
}

Packing parse_packing(std::string_view text) {
  Packing packing;
  for_each_pair(text, "packing", [&](const std::string& key, const std::string& value) {
    int* field = key == "panel"     ? &packing.panel
                 : key == "pair"    ? &packing.pair
                 : key == "k_step"  ? &packing.k_step
                 : key == "k_lines" ? &packing.k_lines
                 : key == "group"   ? &packing.group
                                    : nullptr;
    if (field) *field = parse_tunable(key, value);
    return field != nullptr;
  });
  return packing;
}

}  // namespace gatefold
