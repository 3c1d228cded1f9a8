#include "spec/names.h"

#include <algorithm>
#include <charconv>

namespace gatefold {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(const std::vector<std::string>& names, std::string_view wanted) {
  std::string best;
  size_t best_distance = std::max<size_t>(2, wanted.size() / 2) + 1;
  for (const std::string& name : names) {
    const size_t distance = edit_distance(name, wanted);
    if (distance < best_distance) best_distance = distance, best = name;
  }
  return best;
}

std::string unknown_name_message(std::string_view kind, std::string_view wanted,
                                 const std::vector<std::string>& names) {
  std::string message = "unknown " + std::string(kind) + " '" + std::string(wanted) + "'";
  const std::string near = nearest_name(names, wanted);
  if (!near.empty()) message += ", did you mean '" + near + "'?";
  message += " (there are:";
  for (const std::string& name : names) message += " " + name;
  return message + ")";
}

std::vector<std::string> split_list(std::string_view list) {
  std::vector<std::string> parts;
  while (true) {
    const size_t comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

std::string shortest(float value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return error == std::errc() ? std::string(text, end) : std::to_string(value);
}

}  // namespace gatefold
