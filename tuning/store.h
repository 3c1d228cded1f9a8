#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "spec/ffn_spec.h"
#include "tuning/trial.h"
#include "tuning/trial_table.h"

namespace gatefold {

/// What trials must share to be comparable.
struct WorkloadKey {
  std::string cpu;
  Target target = Target::x86_avx2;
  FfnSpec ffn;
  int threads = 1;
  bool emulated = false;  ///< times are an emulator's, and say nothing of the CPU
  std::string halide_version = kHalideVersion;
  int generator_version = kGeneratorVersion;

  /// Made by this generator and this Halide: else the points may mean something else.
  bool current() const {
    return halide_version == kHalideVersion && generator_version == kGeneratorVersion;
  }
};

struct TrialRecord {
  RowBucket bucket;
  Packing packing;
  SchedulePoint point;
  std::string proposer;  ///< "default", "random"
  TrialResult result;
  double compile_ms = kUnknown;
  std::string code_hash;
  uint64_t seed = 0;

  bool is_of(const RowBucket& b) const {
    return bucket.rows_min == b.rows_min && bucket.rows_max == b.rows_max &&
           bucket.tuned_rows == b.tuned_rows;
  }
};

/// The outcome of the final race for one row bucket. Points are text: a record may be older than
/// the tunables.
inline constexpr const char* kModelOrigin = "model";

struct RaceCell {
  RowBucket bucket;
  std::string point;
  /// "tuned", or "default" if nothing beat it beyond doubt; kModelOrigin where nothing was
  /// measured.
  std::string origin;
  double median_ms = kUnknown;
  std::string default_point;
  std::optional<double> default_ms;
  std::string unfused_point;
  std::optional<double> unfused_ms;
  std::string runner_up;
  std::optional<double> runner_up_ms, margin_pct;
  std::optional<double> ratio, ratio_low, ratio_high;  ///< winner / default, 95 % interval
  std::optional<double> efficiency;
  std::string bound;
  std::optional<double> joint_cost_pct;  ///< not stored: add_joint_costs works it out
};

/// One final race: all row buckets of one --rows list, under one packing.
struct RaceRecord {
  std::vector<int64_t> rows;
  std::string packing;
  int trials = 0;    ///< stored trials of these buckets when it was run
  std::string roof;  ///< what the efficiencies refer to, as text
  std::string at;    ///< UTC, set when stored
  std::vector<RaceCell> cells;
};

struct StoredRace {
  WorkloadKey key;
  RaceRecord race;
  int64_t workload = 0;  ///< its number in the store
};

/// How long trials took, compiling and all, as far as a database tells.
struct TrialRate {
  double seconds = 0;  ///< each
  int64_t trials = 0;  ///< that it is the mean of; 0: not known
};

/// The tuning database: SQLite, one commit for each trial, safe for several processes at once.
/// Files come from outside: what is not ours, newer, or broken is an error that names the file.
class Store {
 public:
  enum class Open { create, existing };

  Store(const std::filesystem::path& path, Open how);

  /// The number of the workload; made if it is new.
  int64_t workload(const WorkloadKey& key);

  /// Its number if it is there already.
  std::optional<int64_t> known_workload(const WorkloadKey& key);

  std::vector<TrialRecord> trials(int64_t workload);
  TrialTable trial_table();
  TrialRate trial_rate();

  /// A trial that is there already stays as it is.
  void add_trial(int64_t workload, const TrialRecord& trial);

  void save_race(int64_t workload, const RaceRecord& race);  ///< replaces the one of these rows
  std::optional<RaceRecord> race(int64_t workload, const std::vector<int64_t>& rows);

  /// All races, newest first.
  std::vector<StoredRace> races();

  const std::filesystem::path& path() const { return path_; }

 private:
  template <typename Work>
  auto guarded(Work work);
  void check_or_create(Open how);
  RaceRecord read_race(int64_t race);

  std::filesystem::path path_;
  std::optional<SQLite::Database> database_;
};

}  // namespace gatefold
