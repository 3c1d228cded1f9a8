#include <SQLiteCpp/Statement.h>

#include <cmath>

#include "spec/error.h"
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

RaceCell read_cell(SQLite::Statement& s) {
  RaceCell c;
  c.bucket.tuned_rows = stored_integer(s, "rows", 1, INT64_MAX);
  c.bucket.rows_min = stored_integer(s, "rows_min", 1, c.bucket.tuned_rows);
  c.bucket.rows_max = stored_integer(s, "rows_max", c.bucket.tuned_rows, INT64_MAX);
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
    race.trials = static_cast<int>(stored_integer(row, "trials", 0, INT32_MAX));
    race.roof = row.getColumn("roof").getString();
    race.at = row.getColumn("at").getString();
    race.cells = read_cells(database, id, current);
    return race;
  } catch (const Error& e) {
    fail(file + ": race " + std::to_string(id) + ": " + e.what());
  }
}

}  // namespace

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
      "d_ff, threads, emulated, halide_version, generator_version FROM race JOIN "
      "workload ON workload.id = race.workload ORDER BY at DESC, race.id DESC");
  std::vector<StoredRace> races;
  while (select.executeStep()) {
    const WorkloadKey key = read_workload(select, file);
    races.push_back({key, read_race(database, select, key.current(), file),
                     select.getColumn("workload").getInt64()});
  }
  return races;
}

}  // namespace gatefold
