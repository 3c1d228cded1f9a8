#include "tuning/trial_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace gatefold {
namespace {

using Json = nlohmann::ordered_json;

template <typename Number>
std::string number_text(Number value) {
  std::array<char, 40> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

/// Quoted where a reader could take a character of it for something else.
std::string csv_text(const std::string& text) {
  const bool blank_at_an_end = text.starts_with(' ') || text.ends_with(' ');
  if (text.find_first_of(",\"\r\n") == std::string::npos && !blank_at_an_end) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_field(const TrialValue& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) return number_text(*integer);
  if (const auto* text = std::get_if<std::string>(&value)) return csv_text(*text);
  const auto* number = std::get_if<double>(&value);
  return number && std::isfinite(*number) ? number_text(*number) : std::string();
}

Json json_value(const std::string& column, const TrialValue& value) {
  if (const auto* integer = std::get_if<int64_t>(&value)) {
    const bool flag = column == "bias" || column == "residual" || column == "emulated";
    return flag ? Json(*integer != 0) : Json(*integer);
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    // The database keeps the samples as a JSON array.
    if (column != "samples") return *text;
    const Json samples = Json::parse(*text, nullptr, false);
    const bool flat =
        samples.is_array() && std::none_of(samples.begin(), samples.end(),
                                           [](const Json& j) { return j.is_structured(); });
    return flat ? samples : Json(*text);
  }
  const auto* number = std::get_if<double>(&value);
  return number && std::isfinite(*number) ? Json(*number) : Json();
}

}  // namespace

std::string trials_csv(const TrialTable& table) {
  std::string out;
  for (size_t i = 0; i < table.columns.size(); ++i) out += (i ? "," : "") + table.columns[i];
  out += '\n';
  for (const auto& row : table.rows) {
    for (size_t i = 0; i < row.size(); ++i) out += (i ? "," : "") + csv_field(row[i]);
    out += '\n';
  }
  return out;
}

std::string trials_json(const TrialTable& table) {
  Json trials = Json::array();
  for (const auto& row : table.rows) {
    Json trial = Json::object();
    for (size_t i = 0; i < row.size(); ++i) {
      trial[table.columns.at(i)] = json_value(table.columns.at(i), row[i]);
    }
    trials.push_back(std::move(trial));
  }
  const Json file = {{"format", "gatefold-trials"}, {"version", 1}, {"trials", std::move(trials)}};
  // Texts of a database may hold anything; JSON must be UTF-8.
  return file.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gatefold
