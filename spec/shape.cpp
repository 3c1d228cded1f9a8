#include "spec/shape.h"

#include <charconv>

#include "spec/error.h"

namespace gatefold {
namespace {

/// The whole text as a number; errors name the flag and what was wanted.
int64_t parse_number(std::string_view text, const char* flag, const std::string& wanted) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail_usage(std::string(flag) + ": '" + std::string(text) + "', wanted " + wanted);
  }
  return value;
}

std::string dimension_text(int64_t value) {
  return value == Shape::kAny ? "any" : std::to_string(value);
}

}  // namespace

std::string Shape::text() const { return dimension_text(d_model) + "x" + dimension_text(d_ff); }

int64_t parse_dimension(std::string_view text, const char* flag) {
  if (text == "any") return Shape::kAny;
  const std::string wanted = "'any' or a number from 1 to " + std::to_string(kMaxDimension);
  const int64_t value = parse_number(text, flag, wanted);
  if (value < 1 || value > kMaxDimension) {
    fail_usage(std::string(flag) + ": " + std::to_string(value) + ", wanted " + wanted);
  }
  return value;
}

std::vector<int64_t> parse_rows(std::string_view text, const char* flag, int64_t least) {
  constexpr int64_t kMaxRows = int64_t{1} << 20;
  const std::string wanted = "strictly ascending numbers from " + std::to_string(least) + " to " +
                             std::to_string(kMaxRows) + " such as 1,4,16";
  std::vector<int64_t> rows;
  while (true) {
    const size_t comma = text.find(',');
    const int64_t value = parse_number(text.substr(0, comma), flag, wanted);
    if (value < least || value > kMaxRows || (!rows.empty() && value <= rows.back())) {
      fail_usage(std::string(flag) + ": " + std::to_string(value) +
                 (rows.empty() ? "" : " after " + std::to_string(rows.back())) + ", wanted " +
                 wanted);
    }
    rows.push_back(value);
    if (comma == std::string_view::npos) return rows;
    text.remove_prefix(comma + 1);
  }
}

std::vector<RowBucket> row_buckets(const std::vector<int64_t>& rows) {
  std::vector<RowBucket> buckets;
  int64_t next = 1;
  for (int64_t r : rows) {
    buckets.push_back({next, r, r});
    next = r + 1;
  }
  if (!buckets.empty()) buckets.back().rows_max = RowBucket::kOpen;
  return buckets;
}

}  // namespace gatefold
