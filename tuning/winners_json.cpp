#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "formats/json_text.h"
#include "spec/error.h"
#include "tuning/store_rows.h"
#include "tuning/winners.h"

namespace gatefold {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "gatefold-winners";
constexpr int kVersion = 1;

Json number(std::optional<double> value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json winner_json(const Winner& w) {
  const RaceCell& c = w.cell;
  return {{"rows", c.bucket.tuned_rows},
          {"threads", w.threads},
          {"point", c.point},
          {"origin", c.origin},
          {"median_ms", number(c.median_ms)},
          {"default_point", c.default_point},
          {"default_ms", number(c.default_ms)},
          {"unfused_ms", number(c.unfused_ms)},
          {"runner_up", c.runner_up},
          {"margin_pct", number(c.margin_pct)},
          {"ratio_low", number(c.ratio_low)},
          {"ratio_high", number(c.ratio_high)},
          {"efficiency", number(c.efficiency)},
          {"bound", c.bound}};
}

Json set_json(const WinnerSet& set) {
  Json winners = Json::array();
  for (const Winner& w : set.winners) winners.push_back(winner_json(w));
  return {{"cpu", set.key.cpu},
          {"target", info(set.key.target).name},
          {"dtype", set.key.ffn.dtypes()},
          {"variant", set.key.ffn.variant.name},
          {"parameters", parameters_text(set.key.ffn.variant)},
          {"bias", set.key.ffn.bias},
          {"residual", set.key.ffn.residual},
          {"d_model", set.key.ffn.shape.d_model},
          {"d_ff", set.key.ffn.shape.d_ff},
          {"halide_version", set.key.halide_version},
          {"generator_version", set.key.generator_version},
          {"packing", set.packing},
          {"winners", winners}};
}

/// A value of the file and its name, for errors: "w.json: sets[0].winners[2].rows".
class Field {
 public:
  Field(const Json& value, std::string name) : value_(value), name_(std::move(name)) {}

  Field operator[](const char* key) const {
    if (!value_.is_object()) wrong("an object");
    if (!value_.contains(key)) fail(name_ + ": no field '" + key + "'");
    return {value_.at(key), name_ + "." + key};
  }
  bool has(const char* key) const { return value_.is_object() && value_.contains(key); }
  std::vector<Field> items() const {
    if (!value_.is_array()) wrong("an array");
    std::vector<Field> fields;
    for (const Json& item : value_) {
      fields.emplace_back(item, name_ + "[" + std::to_string(fields.size()) + "]");
    }
    return fields;
  }
  std::string text() const {
    if (!value_.is_string()) wrong("text");
    return value_.get<std::string>();
  }
  int64_t integer(int64_t least, int64_t most) const {
    const std::string wanted =
        "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
    const bool fits = value_.is_number_integer() && !(value_.is_number_unsigned() &&
                                                      value_.get<uint64_t>() > uint64_t{INT64_MAX});
    if (!fits || value_.get<int64_t>() < least || value_.get<int64_t>() > most) wrong(wanted);
    return value_.get<int64_t>();
  }
  bool boolean() const {
    if (!value_.is_boolean()) wrong("true or false");
    return value_.get<bool>();
  }
  std::optional<double> number() const {
    if (value_.is_null()) return std::nullopt;
    if (!value_.is_number()) wrong("a number or null");
    return value_.get<double>();
  }
  const std::string& name() const { return name_; }
  [[noreturn]] void wrong(const std::string& wanted) const {
    // Never what is inside: it may be nested so deeply that to print it overflows the stack.
    std::string found = value_.is_structured()
                            ? value_.type_name()
                            : value_.dump(-1, ' ', true, Json::error_handler_t::replace);
    if (found.size() > 60) found = found.substr(0, 57) + "...";
    fail(name_ + ": " + found + ", wanted " + wanted);
  }

 private:
  const Json& value_;
  std::string name_;
};

/// Errors of a parser below, with the field's name in front.
template <typename Parse>
auto named(const Field& field, Parse parse) {
  try {
    return parse(field.text());
  } catch (const Error& e) {
    fail(field.name() + ": " + e.what());
  }
}

Winner read_winner(const Field& f, bool current) {
  Winner w;
  RaceCell& c = w.cell;
  c.bucket.tuned_rows = f["rows"].integer(1, int64_t{1} << 20);
  w.threads = static_cast<int>(f["threads"].integer(1, 1024));
  c.point = f["point"].text();
  c.origin = f["origin"].text();
  c.median_ms = f["median_ms"].number().value_or(kUnknown);
  c.default_point = f["default_point"].text();
  c.default_ms = f["default_ms"].number();
  c.unfused_ms = f["unfused_ms"].number();
  c.runner_up = f["runner_up"].text();
  c.margin_pct = f["margin_pct"].number();
  c.ratio_low = f["ratio_low"].number();
  c.ratio_high = f["ratio_high"].number();
  c.efficiency = f["efficiency"].number();
  c.bound = f["bound"].text();
  // Points of other versions may have other tunables; they are never used.
  check_cell(c, current, f.name() + ".");
  return w;
}

/// An export has no such field, since it leaves these out; what other programs write is said by it.
void refuse_emulated(const Field& set) {
  if (!set.has("emulated") || !set["emulated"].boolean()) return;
  set["emulated"].wrong("false: what an emulator took says nothing of a CPU");
}

WinnerSet read_set(const Field& f) {
  refuse_emulated(f);
  WinnerSet set;
  set.key.cpu = f["cpu"].text();
  set.key.target = named(f["target"], [](const auto& text) { return target_named(text).target; });
  named(f["dtype"], [&](const auto& text) {
    set_dtypes(set.key.ffn, text);
    return true;
  });
  set.key.ffn.variant = named(f["variant"], [](const auto& text) { return variant_named(text); });
  read_parameters(f["parameters"].text(), set.key.ffn.variant, f.name());
  set.key.ffn.bias = f["bias"].boolean();
  // Files of before there were residuals have no such field.
  set.key.ffn.residual = f.has("residual") && f["residual"].boolean();
  set.key.ffn.shape = {f["d_model"].integer(1, kMaxDimension), f["d_ff"].integer(1, kMaxDimension)};
  set.key.halide_version = f["halide_version"].text();
  set.key.generator_version = static_cast<int>(f["generator_version"].integer(0, INT32_MAX));
  set.packing = f["packing"].text();
  if (set.current())
    named(f["packing"], [](const std::string& text) { return parse_packing(text); });
  std::set<std::pair<int64_t, int>> seen;
  for (const Field& item : f["winners"].items()) {
    set.winners.push_back(read_winner(item, set.current()));
    const Winner& w = set.winners.back();
    if (!seen.emplace(w.cell.bucket.tuned_rows, w.threads).second) {
      fail(item.name() + ": these rows and threads stand twice");
    }
  }
  return set;
}

}  // namespace

std::string winners_json(const std::vector<WinnerSet>& sets) {
  Json list = Json::array();
  for (const WinnerSet& set : sets) {
    if (!set.key.emulated) list.push_back(set_json(set));
  }
  const Json file = {{"format", kFormat}, {"version", kVersion}, {"sets", list}};
  return file.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

std::vector<WinnerSet> parse_winners(std::string_view text, const std::string& file) {
  const Json json = parse_json<Json>(text, file, "winners as `tune --export` writes them");
  const Field root(json, file);
  if (root["format"].text() != kFormat) root["format"].wrong(std::string("\"") + kFormat + "\"");
  if (root["version"].integer(1, INT32_MAX) != kVersion) {
    root["version"].wrong(std::to_string(kVersion) + " (a newer program wrote this file)");
  }
  std::vector<WinnerSet> sets;
  for (const Field& item : root["sets"].items()) sets.push_back(read_set(item));
  return sets;
}

}  // namespace gatefold
