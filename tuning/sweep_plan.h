#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "spec/error.h"
#include "spec/ffn_spec.h"
#include "tuning/store.h"
#include "tuning/sweep_file.h"

namespace gatefold {

/// One tuning run of a sweep: a block on a target with a thread count, for all row counts.
struct SweepCell {
  FfnSpec ffn;
  Target target = Target::x86_avx2;
  int threads = 1;

  /// "swiglu 4096x11008 bf16 with biases on x86-avx512-bf16, 2 threads"
  std::string text() const;
};

/// A combination that is no cell, and why.
struct LeftOut {
  std::string what, why;
  ErrorKind kind = ErrorKind::usage;
};

struct SweepPlan {
  std::vector<SweepCell> cells;  ///< in the file's order, none twice
  std::vector<int64_t> rows;
  std::vector<LeftOut> left_out;
};

/// The product of the lists: at most so many cells there are. Nothing is made for it.
int64_t combinations(const SweepFile& file);

/// An error if there are more than `most_cells` combinations, or none that can be tuned here.
SweepPlan plan_sweep(const SweepFile& file, int64_t most_cells, const std::string& name);

/// What a sweep has still to do.
struct SweepWork {
  int64_t finished = 0;   ///< cells with a final race after as many trials as wanted
  int64_t trials = 0;     ///< to be made; 0 with a budget
  int64_t transfers = 0;  ///< trials of other cells' winners, at most
  TrialRate rate;         ///< of the database's trials, else a guess of 0 trials
  double seconds = 0;     ///< without the transfers
  double transfer_seconds = 0;
};

/// `store` may be null: nothing was measured yet.
SweepWork work_left(const SweepPlan& plan, const SweepFile& file, const std::string& cpu,
                    Store* store);

WorkloadKey workload_of(const SweepCell& cell, const std::string& cpu);

/// Trials of these buckets as tune() counts them: those of other cells' winners included.
int stored_trials(Store& store, int64_t workload, const std::vector<RowBucket>& buckets);

/// Whether this cell is not measured again: it has a final race, and that after all its trials.
bool finished(Store& store, const SweepCell& cell, const SweepPlan& plan, const SweepFile& file,
              const std::string& cpu);

/// One final race without a budget: its rounds, and compiling and the roof before them.
inline constexpr double kRaceSeconds = 25;

}  // namespace gatefold
