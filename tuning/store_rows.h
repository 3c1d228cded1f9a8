#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>

#include <optional>
#include <string>
#include <vector>

#include "tuning/store.h"

namespace gatefold {

// Records to and from the tables of store_schema.cpp. `file` names the database in errors.

void insert_workload(SQLite::Database& database, const WorkloadKey& key);
std::optional<int64_t> find_workload(SQLite::Database& database, const WorkloadKey& key);

void insert_trial(SQLite::Database& database, int64_t workload, const TrialRecord& trial);
std::vector<TrialRecord> select_trials(SQLite::Database& database, int64_t workload,
                                       const std::string& file);

void replace_race(SQLite::Database& database, int64_t workload, const RaceRecord& race);
std::optional<RaceRecord> select_race(SQLite::Database& database, int64_t workload,
                                      const std::vector<int64_t>& rows, const std::string& file);
std::vector<StoredRace> select_races(SQLite::Database& database, const std::string& file);

TrialTable select_trial_table(SQLite::Database& database);
TrialRate select_trial_rate(SQLite::Database& database);

/// "slope=0.01 alpha=1 limit=0 up_offset=0", and back; `what` names the place in errors.
std::string parameters_text(const Variant& variant);
void read_parameters(const std::string& text, Variant& variant, const std::string& what);

/// What was read from outside: positive times, sane figures and, in records of this generator
/// (`current`), points that can be read. Errors are `where`, the field, the value and what was
/// wanted.
void check_cell(const RaceCell& cell, bool current, const std::string& where);

/// `row` stands on a row that has the columns of a workload, its number in `workload`.
WorkloadKey read_workload(SQLite::Statement& row, const std::string& file);

/// An integer that may be anything, from a database of anyone.
int64_t stored_integer(SQLite::Statement& row, const char* name, int64_t least, int64_t most);

/// "1,4,16"
std::string rows_text(const std::vector<int64_t>& rows);

}  // namespace gatefold
