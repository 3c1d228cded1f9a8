#include "tuning/toml_reader.h"

#include <fmt/format.h>
#include <algorithm>

#include "formats/quote.h"

namespace gatefold {
namespace {

constexpr size_t kLongestList = 10000;  // far more than anybody has the time for

std::string kind_of(const toml::node& node) {
  if (node.is_array()) return "a list";
  if (node.is_table()) return "a table";
  return "a date or time";
}

std::string found(const toml::node& node) {
  if (const auto* text = node.as_string()) return quote(text->get());
  if (const auto* integer = node.as_integer()) return std::to_string(integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  return kind_of(node);
}

/// toml++ 3.3 nests dotted keys and headers without limit, and its tables end recursively: a line
/// of a million dots would end the process. What is read here has no tables at all.
void check_nesting(std::string_view text, const std::string& file) {
  constexpr std::ptrdiff_t kMostDots = 64;
  size_t number = 1;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const std::string_view key = line.substr(0, line.find('='));
    if (std::count(key.begin(), key.end(), '.') > kMostDots) {
      fail_usage(fmt::format("{}:{}: a key of more than {} parts", file, number, kMostDots));
    }
    begin = end + 1;
  }
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& file) {
  check_nesting(text, file);
  try {
    return toml::parse(text, std::string_view(file));
  } catch (const toml::parse_error& e) {
    const toml::source_position at = e.source().begin;
    fail_usage(fmt::format("{}:{}:{}: not TOML: {}", file, at.line, at.column, e.description()));
  }
}

std::string TomlValue::place() const {
  return fmt::format("{}:{}: {}", file_, node_.source().begin.line, name_);
}

void TomlValue::wrong(const std::string& wanted) const {
  fail_usage(place() + ": " + found(node_) + ", wanted " + wanted);
}

/// What already begins with a place of this file stays as it is.
void TomlValue::throw_placed(const Error& e) const {
  const std::string why = e.what();
  throw Error(e.kind(), why.starts_with(file_ + ":") ? why : place() + ": " + why);
}

std::string TomlValue::text() const {
  if (!node_.is_string()) wrong("text in quotes");
  return node_.as_string()->get();
}

int64_t TomlValue::integer(int64_t least, int64_t most) const {
  const auto* integer = node_.as_integer();
  if (!integer || integer->get() < least || integer->get() > most) {
    wrong(fmt::format("a whole number from {} to {}", least, most));
  }
  return integer->get();
}

bool TomlValue::boolean() const {
  if (!node_.is_boolean()) wrong("true or false");
  return node_.as_boolean()->get();
}

std::vector<TomlValue> TomlValue::items() const {
  const toml::array* array = node_.as_array();
  if (!array) wrong("a list in brackets");
  if (array->empty()) fail_usage(place() + ": an empty list, wanted at least one value");
  if (array->size() > kLongestList) {
    fail_usage(fmt::format("{}: a list of {} values, wanted at most {}", place(), array->size(),
                           kLongestList));
  }
  std::vector<TomlValue> items;
  for (const toml::node& item : *array) {
    items.emplace_back(item, file_, fmt::format("{}[{}]", name_, items.size()));
  }
  return items;
}

}  // namespace gatefold
