#include "tuning/store_schema.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include <fstream>
#include <string>
#include <system_error>

#include "spec/error.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWorkload = R"sql(
CREATE TABLE workload(
  id INTEGER PRIMARY KEY,
  cpu TEXT NOT NULL, isa TEXT NOT NULL, dtype TEXT NOT NULL, variant TEXT NOT NULL,
  parameters TEXT NOT NULL, bias INTEGER NOT NULL, residual INTEGER NOT NULL,
  d_model INTEGER NOT NULL, d_ff INTEGER NOT NULL,
  threads INTEGER NOT NULL, emulated INTEGER NOT NULL,
  halide_version TEXT NOT NULL, generator_version INTEGER NOT NULL,
  UNIQUE(cpu, isa, dtype, variant, parameters, bias, residual, d_model, d_ff, threads, emulated,
         halide_version, generator_version)) STRICT;
)sql";

constexpr const char* kOtherTables = R"sql(
CREATE TABLE trial(
  id INTEGER PRIMARY KEY,
  workload INTEGER NOT NULL REFERENCES workload(id),
  rows_min INTEGER NOT NULL, rows_max INTEGER NOT NULL, rows INTEGER NOT NULL,
  packing TEXT NOT NULL, point TEXT NOT NULL, proposer TEXT NOT NULL,
  kind TEXT NOT NULL, message TEXT NOT NULL,
  median_ms REAL, ratio REAL, max_abs REAL, rel_l2 REAL, scaled REAL,
  disturbed INTEGER NOT NULL, samples TEXT NOT NULL, compile_ms REAL, code_hash TEXT NOT NULL,
  seed INTEGER NOT NULL, at TEXT NOT NULL,
  UNIQUE(workload, rows_min, rows_max, rows, packing, point)) STRICT;
CREATE TABLE race(
  id INTEGER PRIMARY KEY,
  workload INTEGER NOT NULL REFERENCES workload(id),
  rows_list TEXT NOT NULL, packing TEXT NOT NULL, trials INTEGER NOT NULL, roof TEXT NOT NULL,
  at TEXT NOT NULL,
  UNIQUE(workload, rows_list)) STRICT;
CREATE TABLE winner(
  race INTEGER NOT NULL REFERENCES race(id) ON DELETE CASCADE,
  rows_min INTEGER NOT NULL, rows_max INTEGER NOT NULL, rows INTEGER NOT NULL,
  point TEXT NOT NULL, origin TEXT NOT NULL, median_ms REAL,
  default_point TEXT NOT NULL, default_ms REAL, unfused_point TEXT NOT NULL, unfused_ms REAL,
  runner_up TEXT NOT NULL, runner_up_ms REAL, margin_pct REAL,
  ratio REAL, ratio_low REAL, ratio_high REAL, efficiency REAL, bound TEXT NOT NULL,
  UNIQUE(race, rows)) STRICT;
)sql";

/// The workloads of an older version with what it did not know of them: version 1 had no residual,
/// and up to version 2 nothing was measured under an emulator.
const char* older_workloads(int version) {
  return version == 1 ? "SELECT *, 0 AS residual, 0 AS emulated FROM main.workload"
                      : "SELECT *, 0 AS emulated FROM main.workload";
}

int pragma(SQLite::Database& database, const char* name) {
  return database.execAndGet(std::string("PRAGMA ") + name).getInt();
}

bool has_tables(SQLite::Database& database) {
  return database.execAndGet("SELECT count(*) FROM sqlite_master").getInt() > 0;
}

void set_version(SQLite::Database& database) {
  database.exec(fmt::format("PRAGMA user_version = {}", kStoreVersion));
}

void create(SQLite::Database& database) {
  // Another process may have been faster: looked at again under the lock.
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (!has_tables(database)) {
    database.exec(kWorkload);
    database.exec(kOtherTables);
    database.exec(fmt::format("PRAGMA application_id = {}", kStoreApplicationId));
    set_version(database);
  }
  transaction.commit();
}

/// A table's uniqueness cannot be altered, so its rows move to a new one. Their ids stay, and with
/// them what trials and races refer to.
void upgrade(SQLite::Database& database) {
  database.exec("PRAGMA foreign_keys = OFF");  // or dropping the table would drop its trials
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = pragma(database, "user_version");
  if (version < kStoreVersion) {
    database.exec(fmt::format("CREATE TEMP TABLE old_workload AS {}", older_workloads(version)));
    database.exec("DROP TABLE main.workload");
    database.exec(kWorkload);
    database.exec(
        "INSERT INTO workload(id, cpu, isa, dtype, variant, parameters, bias, residual, d_model, "
        "d_ff, threads, emulated, halide_version, generator_version) SELECT id, cpu, isa, dtype, "
        "variant, parameters, bias, residual, d_model, d_ff, threads, emulated, halide_version, "
        "generator_version FROM old_workload");
    database.exec("DROP TABLE temp.old_workload");
    set_version(database);
  }
  transaction.commit();
}

/// A temporary object hides a table of its name, on a database that cannot be written to as well.
void view(SQLite::Database& database, int version) {
  database.exec(fmt::format("CREATE TEMP VIEW workload AS {}", older_workloads(version)));
}

void check_sound(SQLite::Database& database, const std::string& name) {
  SQLite::Statement check(database, "PRAGMA quick_check(1)");
  const std::string found = check.executeStep() ? check.getColumn(0).getString() : "no answer";
  if (found != "ok") fail(name + ": damaged or truncated database: " + found);
}

}  // namespace

void check_store_file(const fs::path& path, bool must_exist) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    if (must_exist) fail(path.string() + ": no such tuning database");
    return;
  }
  if (!fs::is_regular_file(status)) fail(path.string() + ": not a regular file, wanted a database");
  std::ifstream file(path, std::ios::binary);
  std::string start(kMagic.size(), '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<size_t>(file.gcount()));
  if (start.empty() && !must_exist && file.eof()) return;
  if (start.empty()) fail(path.string() + ": empty or unreadable, wanted a tuning database");
  if (start != kMagic) {
    fail(path.string() + ": not a database (it does not begin like an SQLite file)");
  }
}

void check_or_create_schema(SQLite::Database& database, const fs::path& path, OldVersion old) {
  const std::string name = path.string();
  if (pragma(database, "application_id") == 0 && pragma(database, "user_version") == 0 &&
      !has_tables(database)) {
    create(database);
  }
  const int application = pragma(database, "application_id");
  if (application != kStoreApplicationId) {
    fail(fmt::format("{}: another program's database (application id 0x{:08x}, wanted 0x{:08x})",
                     name, static_cast<unsigned>(application),
                     static_cast<unsigned>(kStoreApplicationId)));
  }
  const int version = pragma(database, "user_version");
  if (version < 1 || version > kStoreVersion) {
    fail(fmt::format("{}: version {} of the tuning database, this program reads versions 1 to {}",
                     name, version, kStoreVersion));
  }
  check_sound(database, name);
  if (version == kStoreVersion) return;
  switch (old) {
    case OldVersion::upgrade:
      return upgrade(database);
    case OldVersion::view:
      return view(database, version);
  }
}

}  // namespace gatefold
