#include <SQLiteCpp/Statement.h>

#include "tuning/store_rows.h"

namespace gatefold {
namespace {

// The open bucket's end has no number outside. Points, packings and kinds are given as they are
// stored: those of other versions cannot be read, and are shown all the same.
constexpr const char* kTrials =
    "SELECT cpu, isa AS target, dtype, variant, parameters, bias, residual, d_model, d_ff, "
    "threads, "
    "halide_version, generator_version, rows_min, nullif(rows_max, 9223372036854775807) AS "
    "rows_max, rows, packing, point, proposer, kind, message, median_ms, ratio, max_abs, rel_l2, "
    "scaled, disturbed, samples, compile_ms, code_hash, seed, at, emulated "
    "FROM trial JOIN workload ON workload.id = trial.workload ORDER BY workload.id, trial.id";

// Trials are stored in bursts, but the gaps between all of them add up to the time they took.
// Longer ones are pauses between two runs.
constexpr const char* kRate =
    "SELECT avg(gap) AS seconds, count(gap) AS trials FROM (SELECT strftime('%s', at) - "
    "lag(strftime('%s', at)) OVER (PARTITION BY workload ORDER BY id) AS gap FROM trial) "
    "WHERE gap BETWEEN 0 AND 120";

TrialValue value_of(const SQLite::Column& column) {
  if (column.isNull()) return std::monostate();
  if (column.isInteger()) return column.getInt64();
  if (column.isFloat()) return column.getDouble();
  return column.getString();
}

}  // namespace

TrialTable select_trial_table(SQLite::Database& database) {
  SQLite::Statement select(database, kTrials);
  TrialTable table;
  const int columns = select.getColumnCount();
  for (int i = 0; i < columns; ++i) table.columns.emplace_back(select.getColumnName(i));
  while (select.executeStep()) {
    std::vector<TrialValue>& row = table.rows.emplace_back();
    for (int i = 0; i < columns; ++i) row.push_back(value_of(select.getColumn(i)));
  }
  return table;
}

TrialRate select_trial_rate(SQLite::Database& database) {
  SQLite::Statement select(database, kRate);
  if (!select.executeStep() || select.getColumn("trials").getInt64() == 0) return {};
  return {select.getColumn("seconds").getDouble(), select.getColumn("trials").getInt64()};
}

}  // namespace gatefold
