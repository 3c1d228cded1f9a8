#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "spec/error.h"

namespace gatefold {

/// Bounds on JSON from outside; the files that we write are far below both.
inline constexpr size_t kLargestJson = size_t{16} << 20;
inline constexpr int kDeepestJson = 8;

/// The value of a file's text. Too long, nested deeper than ours ever are (what prints or copies a
/// value recurses) or not JSON: an Error that says what was wanted.
template <typename Json>
Json parse_json(std::string_view text, const std::string& file, const std::string& wanted) {
  if (text.size() > kLargestJson) {
    fail(file + ": " + std::to_string(text.size()) + " bytes, wanted " + wanted + " of at most " +
         std::to_string(kLargestJson));
  }
  const auto shallow = [&](int depth, auto, Json&) {
    if (depth > kDeepestJson) fail(file + ": nested too deeply, wanted " + wanted);
    return true;
  };
  Json value = Json::parse(text, shallow, false);
  if (value.is_discarded()) fail(file + ": not a JSON file, wanted " + wanted);
  return value;
}

}  // namespace gatefold
