#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuning/sweep_plan.h"
#include "tuning/transfer.h"
#include "tuning/tune.h"

namespace gatefold {

struct SweepProgress {
  size_t cell = 0, cells = 0;  ///< of this phase, the first is 1
  std::string what;            ///< "tuning swiglu …", "winners of others in swiglu …"
  TuneProgress tune;           ///< of the cell
  double seconds_left = 0;     ///< of this phase
};

struct SweepRequest {
  SweepFile file;
  SweepPlan plan;
  TuneRequest base;  ///< database, worker, lock, stop …; block, effort and strategy come from above
  std::function<void(const SweepProgress&)> progress;
};

struct SweepCellResult {
  SweepCell cell;
  std::optional<StoredRace> race;  ///< nothing if it failed or was not reached
  std::string error;               ///< why it failed; empty if it did not
  bool known = false;              ///< finished by an earlier sweep
  int measured_now = 0;
  int transfers = 0;  ///< trials of other cells' winners, of this sweep
};

struct SweepResult {
  std::vector<SweepCellResult> cells;  ///< as in the plan
  bool interrupted = false;
  std::vector<std::string> notes;

  int failed() const;
};

/// Tunes the cells one by one, then tries the winners in the other cells, and decides again where
/// one of them leads. Finished cells are not measured again; after a failed one it goes on.
SweepResult run_sweep(const SweepRequest& request);

/// What the database knows of the result's cells, for distil() and leave_one_out(). The races'
/// joint costs are filled in.
std::vector<MeasuredCell> measured_cells(Store& store, SweepResult& result);

}  // namespace gatefold
