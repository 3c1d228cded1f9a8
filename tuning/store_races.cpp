#include <SQLiteCpp/Statement.h>

#include <charconv>
#include <cmath>
#include <set>
#include <sstream>

#include "spec/error.h"
#include "spec/names.h"
#include "tuning/store_rows.h"

namespace gatefold {
namespace {

void bind(SQLite::Statement& s, const char* name, std::optional<double> value) {
  if (value && std::isfinite(*value))
    s.bind(name, *value);
  else
    s.bind(name);
}

std::optional<double> real(const SQLite::Column& column) {
  if (column.isNull()) return std::nullopt;
  return column.getDouble();
}

void insert_cell(SQLite::Database& database, int64_t race, const RaceCell& c) {
  SQLite::Statement s(
      database,
      "INSERT INTO winner VALUES(:race, :rows_min, :rows_max, :rows, :point, :origin, :median_ms, "
      ":default_point, :default_ms, :unfused_point, :unfused_ms, :runner_up, :runner_up_ms, "
      ":margin_pct, :ratio, :ratio_low, :ratio_high, :efficiency, :bound)");
  s.bind(":race", race);
  s.bind(":rows_min", c.bucket.rows_min);
  s.bind(":rows_max", c.bucket.rows_max);
  s.bind(":rows", c.bucket.tuned_rows);
  s.bind(":point", c.point);
  s.bind(":origin", c.origin);
  bind(s, ":median_ms", c.median_ms);
  s.bind(":default_point", c.default_point);
  bind(s, ":default_ms", c.default_ms);
  s.bind(":unfused_point", c.unfused_point);
  bind(s, ":unfused_ms", c.unfused_ms);
  s.bind(":runner_up", c.runner_up);
  bind(s, ":runner_up_ms", c.runner_up_ms);
  bind(s, ":margin_pct", c.margin_pct);
  bind(s, ":ratio", c.ratio);
  bind(s, ":ratio_low", c.ratio_low);
  bind(s, ":ratio_high", c.ratio_high);
  bind(s, ":efficiency", c.efficiency);
  s.bind(":bound", c.bound);
  s.exec();
}

/// An integer of the row that may be anything.
int64_t integer(SQLite::Statement& row, const char* name, int64_t least, int64_t most) {
  const int64_t value = row.getColumn(name).getInt64();
  if (value >= least && value <= most) return value;
  fail(std::string(name) + ": " + std::to_string(value) + ", wanted " + std::to_string(least) +
       " to " + std::to_string(most));
}

RaceCell read_cell(SQLite::Statement& s) {
  RaceCell c;
  c.bucket.tuned_rows = integer(s, "rows", 1, INT64_MAX);
  c.bucket.rows_min = integer(s, "rows_min", 1, c.bucket.tuned_rows);
  c.bucket.rows_max = integer(s, "rows_max", c.bucket.tuned_rows, INT64_MAX);
  c.point = s.getColumn("point").getString();
  c.origin = s.getColumn("origin").getString();
  c.median_ms = real(s.getColumn("median_ms")).value_or(kUnknown);
  c.default_point = s.getColumn("default_point").getString();
  c.default_ms = real(s.getColumn("default_ms"));
  c.unfused_point = s.getColumn("unfused_point").getString();
  c.unfused_ms = real(s.getColumn("unfused_ms"));
  c.runner_up = s.getColumn("runner_up").getString();
  c.runner_up_ms = real(s.getColumn("runner_up_ms"));
  c.margin_pct = real(s.getColumn("margin_pct"));
  c.ratio = real(s.getColumn("ratio"));
  c.ratio_low = real(s.getColumn("ratio_low"));
  c.ratio_high = real(s.getColumn("ratio_high"));
  c.efficiency = real(s.getColumn("efficiency"));
  c.bound = s.getColumn("bound").getString();
  return c;
}

std::vector<RaceCell> read_cells(SQLite::Database& database, int64_t race, bool current) {
  SQLite::Statement row(database, "SELECT * FROM winner WHERE race = ? ORDER BY rows");
  row.bind(1, race);
  std::vector<RaceCell> cells;
  while (row.executeStep()) {
    cells.push_back(read_cell(row));
    const int64_t rows = cells.back().bucket.tuned_rows;
    check_cell(cells.back(), current, "winner of " + std::to_string(rows) + " rows: ");
  }
  return cells;
}

/// `row` stands on a row of race; `current`: its points are those of this generator.
RaceRecord read_race(SQLite::Database& database, SQLite::Statement& row, bool current,
                     const std::string& file) {
  const int64_t id = row.getColumn("id").getInt64();
  try {
    RaceRecord race;
    race.rows = parse_rows(row.getColumn("rows_list").getString(), "rows_list");
    race.packing = row.getColumn("packing").getString();
    if (current) parse_packing(race.packing);
    race.trials = static_cast<int>(integer(row, "trials", 0, INT32_MAX));
    race.roof = row.getColumn("roof").getString();
    race.at = row.getColumn("at").getString();
    race.cells = read_cells(database, id, current);
    return race;
  } catch (const Error& e) {
    fail(file + ": race " + std::to_string(id) + ": " + e.what());
  }
}

/// `row` stands on a row joined with workload.
WorkloadKey read_key(SQLite::Statement& row, const std::string& file) {
  const std::string where =
      file + ": workload " + std::to_string(row.getColumn("workload").getInt64());
  try {
    WorkloadKey key;
    key.cpu = row.getColumn("cpu").getString();
    key.target = target_named(row.getColumn("isa").getString()).target;
    set_dtypes(key.ffn, row.getColumn("dtype").getString());
    key.ffn.variant = variant_named(row.getColumn("variant").getString());
    read_parameters(row.getColumn("parameters").getString(), key.ffn.variant, where);
    key.ffn.bias = row.getColumn("bias").getInt() != 0;
    key.ffn.residual = row.getColumn("residual").getInt() != 0;
    key.ffn.shape = {integer(row, "d_model", 1, kMaxDimension),
                     integer(row, "d_ff", 1, kMaxDimension)};
    key.threads = static_cast<int>(integer(row, "threads", 1, 1024));
    key.halide_version = row.getColumn("halide_version").getString();
    key.generator_version = static_cast<int>(integer(row, "generator_version", 0, INT32_MAX));
    return key;
  } catch (const Error& e) {
    fail(where + ": " + e.what());
  }
}

}  // namespace

std::string parameters_text(const Variant& v) {
  return "slope=" + shortest(v.slope) + " alpha=" + shortest(v.alpha) +
         " limit=" + shortest(v.limit) + " up_offset=" + shortest(v.up_offset);
}

void read_parameters(const std::string& text, Variant& v, const std::string& what) {
  std::istringstream words(text);
  std::set<std::string> seen;
  for (std::string word; words >> word;) {
    const size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    float* field = key == "slope"       ? &v.slope
                   : key == "alpha"     ? &v.alpha
                   : key == "limit"     ? &v.limit
                   : key == "up_offset" ? &v.up_offset
                                        : nullptr;
    const char* end = word.data() + word.size();
    const bool read = field && equals != std::string::npos && seen.insert(key).second &&
                      std::from_chars(word.data() + equals + 1, end, *field).ptr == end;
    if (!read || !std::isfinite(*field)) fail(what + ": parameters: '" + word + "'");
  }
}

void replace_race(SQLite::Database& database, int64_t workload, const RaceRecord& race) {
  SQLite::Statement remove_cells(database,
                                 "DELETE FROM winner WHERE race IN (SELECT id FROM race WHERE "
                                 "workload = ? AND rows_list = ?)");
  remove_cells.bind(1, workload);
  remove_cells.bind(2, rows_text(race.rows));
  remove_cells.exec();
  SQLite::Statement insert(database,
                           "INSERT OR REPLACE INTO race(workload, rows_list, packing, trials, "
                           "roof, at) VALUES(?, ?, ?, ?, ?, datetime('now'))");
  insert.bind(1, workload);
  insert.bind(2, rows_text(race.rows));
  insert.bind(3, race.packing);
  insert.bind(4, race.trials);
  insert.bind(5, race.roof);
  insert.exec();
  const int64_t id = database.getLastInsertRowid();
  for (const RaceCell& cell : race.cells) insert_cell(database, id, cell);
}

std::optional<RaceRecord> select_race(SQLite::Database& database, int64_t workload,
                                      const std::vector<int64_t>& rows, const std::string& file) {
  SQLite::Statement select(database, "SELECT * FROM race WHERE workload = ? AND rows_list = ?");
  select.bind(1, workload);
  select.bind(2, rows_text(rows));
  if (!select.executeStep()) return std::nullopt;
  return read_race(database, select, true, file);
}

std::vector<StoredRace> select_races(SQLite::Database& database, const std::string& file) {
  SQLite::Statement select(
      database,
      "SELECT race.*, cpu, isa, dtype, variant, parameters, bias, residual, d_model, "
      "d_ff, threads, halide_version, generator_version FROM race JOIN "
      "workload ON workload.id = race.workload ORDER BY at DESC, race.id DESC");
  std::vector<StoredRace> races;
  while (select.executeStep()) {
    const WorkloadKey key = read_key(select, file);
    races.push_back({key, read_race(database, select, key.current(), file),
                     select.getColumn("workload").getInt64()});
  }
  return races;
}

}  // namespace gatefold
