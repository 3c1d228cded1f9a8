#include "tuning/store_rows.h"

#include <SQLiteCpp/Statement.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "spec/error.h"

namespace gatefold {
namespace {

using Json = nlohmann::json;

/// SQLite has no NaN: it stores NULL.
void bind(SQLite::Statement& s, const char* name, double value) {
  if (std::isfinite(value))
    s.bind(name, value);
  else
    s.bind(name);
}

double real(const SQLite::Column& column) {
  return column.isNull() ? kUnknown : column.getDouble();
}

/// A time or ratio: nothing that is not above 0 may ever win.
double positive(SQLite::Statement& row, const char* name) {
  const double value = real(row.getColumn(name));
  if (std::isnan(value) || (std::isfinite(value) && value > 0)) return value;
  fail(std::string(name) + ": " + std::to_string(value) + ", wanted a number above 0 or null");
}

std::string samples_text(const std::vector<double>& samples) {
  Json json = Json::array();
  for (double ms : samples) json.push_back(std::isfinite(ms) ? Json(ms) : Json(nullptr));
  return json.dump();
}

std::vector<double> parse_samples(const std::string& text, const std::string& where) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_array()) fail(where + ": samples '" + text.substr(0, 40) + "', wanted a JSON array");
  std::vector<double> samples;
  for (const Json& ms : json) samples.push_back(ms.is_number() ? ms.get<double>() : kUnknown);
  return samples;
}

TrialRecord read_trial(SQLite::Statement& s, const std::string& file) {
  const std::string where = file + ": trial " + std::to_string(s.getColumn("id").getInt64());
  try {
    TrialRecord t;
    t.bucket = {s.getColumn("rows_min").getInt64(), s.getColumn("rows_max").getInt64(),
                s.getColumn("rows").getInt64()};
    t.packing = parse_packing(s.getColumn("packing").getString());
    t.point = parse_point(s.getColumn("point").getString());
    t.proposer = s.getColumn("proposer").getString();
    t.result.kind = trial_kind_named(s.getColumn("kind").getString());
    t.result.message = s.getColumn("message").getString();
    t.result.median_ms = positive(s, "median_ms");
    t.result.ratio = positive(s, "ratio");
    t.result.error = {real(s.getColumn("max_abs")), real(s.getColumn("rel_l2")),
                      real(s.getColumn("scaled"))};
    t.result.disturbed = s.getColumn("disturbed").getInt();
    t.result.samples = parse_samples(s.getColumn("samples").getString(), where);
    t.compile_ms = real(s.getColumn("compile_ms"));
    t.code_hash = s.getColumn("code_hash").getString();
    t.seed = static_cast<uint64_t>(s.getColumn("seed").getInt64());
    return t;
  } catch (const Error& e) {
    fail(where + ": " + e.what());
  }
}

}  // namespace

std::string rows_text(const std::vector<int64_t>& rows) {
  std::string text;
  for (int64_t r : rows) text += (text.empty() ? "" : ",") + std::to_string(r);
  return text;
}

void insert_trial(SQLite::Database& database, int64_t workload, const TrialRecord& t) {
  SQLite::Statement s(
      database,
      "INSERT OR IGNORE INTO trial(workload, rows_min, rows_max, rows, packing, point, proposer, "
      "kind, message, median_ms, ratio, max_abs, rel_l2, scaled, disturbed, samples, compile_ms, "
      "code_hash, seed, at) VALUES(:workload, :rows_min, :rows_max, :rows, :packing, :point, "
      ":proposer, :kind, :message, :median_ms, :ratio, :max_abs, :rel_l2, :scaled, :disturbed, "
      ":samples, :compile_ms, :code_hash, :seed, datetime('now'))");
  s.bind(":workload", workload);
  s.bind(":rows_min", t.bucket.rows_min);
  s.bind(":rows_max", t.bucket.rows_max);
  s.bind(":rows", t.bucket.tuned_rows);
  s.bind(":packing", t.packing.text());
  s.bind(":point", t.point.text());
  s.bind(":proposer", t.proposer);
  s.bind(":kind", name(t.result.kind));
  s.bind(":message", t.result.message);
  bind(s, ":median_ms", t.result.median_ms);
  bind(s, ":ratio", t.result.ratio);
  bind(s, ":max_abs", t.result.error.max_abs);
  bind(s, ":rel_l2", t.result.error.rel_l2);
  bind(s, ":scaled", t.result.error.scaled);
  s.bind(":disturbed", t.result.disturbed);
  s.bind(":samples", samples_text(t.result.samples));
  bind(s, ":compile_ms", t.compile_ms);
  s.bind(":code_hash", t.code_hash);
  s.bind(":seed", static_cast<int64_t>(t.seed));
  s.exec();
}

std::vector<TrialRecord> select_trials(SQLite::Database& database, int64_t workload,
                                       const std::string& file) {
  SQLite::Statement select(database, "SELECT * FROM trial WHERE workload = ? ORDER BY id");
  select.bind(1, workload);
  std::vector<TrialRecord> trials;
  while (select.executeStep()) trials.push_back(read_trial(select, file));
  return trials;
}

}  // namespace gatefold
