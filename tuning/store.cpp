#include "tuning/store.h"

#include <SQLiteCpp/Exception.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>

#include <cmath>
#include <csignal>
#include <ctime>

#include "spec/error.h"
#include "tuning/store_rows.h"
#include "tuning/store_schema.h"

namespace gatefold {
namespace {

constexpr int kBusyTimeoutMs = 60000;

/// At the file-size limit a write shall fail with an error, not end the process.
class FileSizeSignalBlock {
 public:
  FileSizeSignalBlock() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  FileSizeSignalBlock(const FileSizeSignalBlock&) = delete;
  FileSizeSignalBlock& operator=(const FileSizeSignalBlock&) = delete;
  ~FileSizeSignalBlock() {
    constexpr timespec kNoWait = {0, 0};
    sigtimedwait(&signal_, nullptr, &kNoWait);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t signal_, before_;
};

}  // namespace

template <typename Work>
auto Store::guarded(Work work) {
  const FileSizeSignalBlock block;
  try {
    return work();
  } catch (const SQLite::Exception& e) {
    fail(path_.string() + ": " + e.what());
  }
}

Store::Store(const std::filesystem::path& path, Open how) : path_(path) {
  check_store_file(path, how == Open::existing);
  guarded([&] { check_or_create(how); });
}

void Store::check_or_create(Open how) {
  const int flags = SQLite::OPEN_READWRITE | (how == Open::create ? SQLite::OPEN_CREATE : 0);
  try {
    database_.emplace(path_.string(), flags, kBusyTimeoutMs);
  } catch (const SQLite::Exception&) {
    if (how == Open::create) throw;
    database_.emplace(path_.string(), SQLite::OPEN_READONLY, kBusyTimeoutMs);
  }
  check_or_create_schema(*database_, path_,
                         how == Open::create ? OldVersion::upgrade : OldVersion::view);
  if (how == Open::existing) return;
  // Readers never wait for the writer, and a trial costs one write to the log.
  database_->exec("PRAGMA journal_mode = WAL");
  database_->exec("PRAGMA synchronous = NORMAL");
  database_->exec("PRAGMA foreign_keys = ON");
}

int64_t Store::workload(const WorkloadKey& key) {
  return guarded([&] {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    insert_workload(*database_, key);
    const int64_t id = find_workload(*database_, key).value();
    transaction.commit();
    return id;
  });
}

std::optional<int64_t> Store::known_workload(const WorkloadKey& key) {
  return guarded([&] { return find_workload(*database_, key); });
}

TrialTable Store::trial_table() {
  return guarded([&] { return select_trial_table(*database_); });
}

TrialRate Store::trial_rate() {
  return guarded([&] { return select_trial_rate(*database_); });
}

std::vector<TrialRecord> Store::trials(int64_t workload) {
  return guarded([&] { return select_trials(*database_, workload, path_.string()); });
}

void Store::add_trial(int64_t workload, const TrialRecord& trial) {
  guarded([&] {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    insert_trial(*database_, workload, trial);
    transaction.commit();
  });
}

void Store::save_race(int64_t workload, const RaceRecord& race) {
  guarded([&] {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    replace_race(*database_, workload, race);
    transaction.commit();
  });
}

std::optional<RaceRecord> Store::race(int64_t workload, const std::vector<int64_t>& rows) {
  return guarded([&] { return select_race(*database_, workload, rows, path_.string()); });
}

std::vector<StoredRace> Store::races() {
  return guarded([&] { return select_races(*database_, path_.string()); });
}

}  // namespace gatefold
