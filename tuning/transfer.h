#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tuning/search_space.h"
#include "tuning/store.h"
#include "tuning/tune.h"

namespace gatefold {

inline constexpr const char* kTransferProposer = "transfer";

/// One row count of a tuned workload, under the packing of its final race: all that was timed
/// there. A point without a time is unknown there, not slow.
struct MeasuredCell {
  WorkloadKey key;
  int64_t rows = 0;
  std::string packing;
  std::string winner;                ///< of the final race; a point as text
  std::map<std::string, double> ms;  ///< screened, by point
};

/// The cells of a stored race with what its workload's trials say.
std::vector<MeasuredCell> measured_cells(Store& store, const StoredRace& stored);

/// Row counts between which winners are tried: within a factor of four. A tile for one row is
/// hopeless for 64, and would take the time of many useful trials.
bool near_rows(int64_t a, int64_t b);

/// The winners of the other cells of the same target and dtypes that are near enough, legal in this
/// cell and not yet known there, as trials of it under `packing`.
std::vector<Candidate> transfers_to(const SearchSpace& space, size_t packing,
                                    const std::vector<MeasuredCell>& own,
                                    const std::vector<MeasuredCell>& all);

/// Measures them, one commit each. Returns how many were measured; what a stop prevents is left.
int measure_transfers(const TuneRequest& request, const std::vector<MeasuredCell>& all);

/// Whether a transferred point ran faster than all that the search had found, by more than
/// `margin`.
bool transfers_lead(Store& store, int64_t workload, const RaceRecord& race, double margin = 0.01);

/// A cell without its own shape's tuning: the best that winners of other shapes reach in it.
struct LeftOneOut {
  WorkloadKey key;
  int64_t rows = 0;
  double tuned_ms = kUnknown;
  std::optional<double> transferred_ms;  ///< nothing if no such winner was timed here
  std::string point;
  int candidates = 0;  ///< winners of other shapes that were timed here

  /// tuned / transferred: 0.9 is a speed of nine tenths.
  std::optional<double> ratio() const;
};

/// Of winners with the same target, dtypes, threads and row count, but another shape. Cells of
/// which there is no other shape are left out.
std::vector<LeftOneOut> leave_one_out(const std::vector<MeasuredCell>& cells);

}  // namespace gatefold
