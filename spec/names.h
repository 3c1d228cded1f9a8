#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "spec/error.h"

namespace gatefold {

/// The entry of `names` with the smallest edit distance to `wanted`; empty if none is near.
std::string nearest_name(const std::vector<std::string>& names, std::string_view wanted);

/// "unknown KIND 'X', did you mean 'Y'? (there are: a b c)"
std::string unknown_name_message(std::string_view kind, std::string_view wanted,
                                 const std::vector<std::string>& names);

/// The parts between the commas, empty ones included: "a,,b" has three.
std::vector<std::string> split_list(std::string_view list);

/// Shortest decimal text that reads back as the same float.
std::string shortest(float value);

/// The element of `items` whose `.name` is `name`; a usage error naming `kind` if there is none.
template <typename Item>
const Item& find_named(const std::vector<Item>& items, std::string_view name,
                       std::string_view kind) {
  std::vector<std::string> names;
  for (const Item& item : items) {
    if (item.name == name) return item;
    names.push_back(item.name);
  }
  fail_usage(unknown_name_message(kind, name, names));
}

}  // namespace gatefold
