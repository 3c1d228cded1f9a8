#include "tuning/transfer.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "schedules/space.h"
#include "tuning/screened_times.h"
#include "tuning/trial_runner.h"
#include "tuning/tune_request.h"

namespace gatefold {
namespace {

// One call of the compilers: enough to keep them busy, few enough to lose little at a stop.
constexpr size_t kBatch = 8;

bool same_kind(const WorkloadKey& a, const WorkloadKey& b) {
  return a.cpu == b.cpu && a.target == b.target && a.ffn.dtypes() == b.ffn.dtypes();
}

/// Point and time of what ran; `transferred` or not, or both.
std::map<std::string, double> times_of(const std::vector<TrialRecord>& trials,
                                       const RowBucket& bucket, const std::string& packing,
                                       std::optional<bool> transferred = {}) {
  std::map<std::string, double> times;
  for (const auto& [t, ms] : screened_times(trials, bucket)) {
    if (t->packing.text() != packing) continue;
    if (transferred && *transferred != (t->proposer == kTransferProposer)) continue;
    if (std::isfinite(ms)) times[t->point.text()] = ms;
  }
  return times;
}

double fastest(const std::map<std::string, double>& times) {
  double best = INFINITY;
  for (const auto& [point, ms] : times) best = std::min(best, ms);
  return best;
}

/// The winners of other cells that may be tried here, by point.
std::set<std::string> winners_for(const MeasuredCell& cell, const std::vector<MeasuredCell>& all) {
  std::set<std::string> points;
  for (const MeasuredCell& other : all) {
    if (same_kind(cell.key, other.key) && near_rows(cell.rows, other.rows)) {
      points.insert(other.winner);
    }
  }
  return points;
}

double tuned_ms(const MeasuredCell& cell) {
  const auto found = cell.ms.find(cell.winner);
  return found == cell.ms.end() ? fastest(cell.ms) : found->second;
}

/// The times here of winners of other shapes for this row and thread count.
std::map<std::string, double> from_other_shapes(const MeasuredCell& cell,
                                                const std::vector<MeasuredCell>& all,
                                                bool& other_shape) {
  std::map<std::string, double> times;
  for (const MeasuredCell& o : all) {
    if (!same_kind(cell.key, o.key) || o.key.threads != cell.key.threads || o.rows != cell.rows ||
        o.key.ffn.shape == cell.key.ffn.shape) {
      continue;
    }
    other_shape = true;
    const auto timed = cell.ms.find(o.winner);
    if (timed != cell.ms.end()) times.insert(*timed);
  }
  return times;
}

}  // namespace

bool near_rows(int64_t a, int64_t b) { return std::max(a, b) <= 4 * std::min(a, b); }

std::vector<MeasuredCell> measured_cells(Store& store, const StoredRace& stored) {
  const std::vector<TrialRecord> trials = store.trials(stored.workload);
  std::vector<MeasuredCell> cells;
  for (const RaceCell& c : stored.race.cells) {
    cells.push_back({stored.key, c.bucket.tuned_rows, stored.race.packing, c.point,
                     times_of(trials, c.bucket, stored.race.packing)});
  }
  return cells;
}

std::vector<Candidate> transfers_to(const SearchSpace& space, size_t packing,
                                    const std::vector<MeasuredCell>& own,
                                    const std::vector<MeasuredCell>& all) {
  std::vector<Candidate> candidates;
  for (const MeasuredCell& cell : own) {
    for (size_t b = 0; b < space.buckets.size(); ++b) {
      if (space.buckets[b].tuned_rows != cell.rows) continue;
      for (const std::string& text : winners_for(cell, all)) {
        if (cell.ms.contains(text)) continue;
        const Candidate c = {packing, b, parse_point(text), kTransferProposer};
        // A tile of more rows than there are would compute rows of zeros.
        if (c.point.mr > cell.rows || why_illegal(space.kernel(packing, b, c.point))) continue;
        candidates.push_back(c);
      }
    }
  }
  return candidates;
}

int measure_transfers(const TuneRequest& wanted, const std::vector<MeasuredCell>& all) {
  const TuneRequest request = checked_request(wanted);
  Store store(request.database, Store::Open::create);
  const int64_t workload = store.workload(workload_of(request));
  const std::optional<RaceRecord> race = store.race(workload, request.rows);
  if (!race) return 0;
  std::vector<std::string> notes;
  const SearchSpace space = space_of(request, store, notes);
  const std::optional<size_t> packing = space.packing_named(race->packing);
  if (!packing) return 0;
  TrialBook book(space, store, workload);
  TrialRunner runner(request, space, book);
  const StoredRace stored = {workload_of(request), *race, workload};
  const std::vector<Candidate> wanted_here =
      transfers_to(space, *packing, measured_cells(store, stored), all);
  for (size_t i = 0; i < wanted_here.size() && !runner.stopped(); i += kBatch) {
    const auto begin = wanted_here.begin() + static_cast<std::ptrdiff_t>(i);
    const auto count = std::min(kBatch, wanted_here.size() - i);
    runner.run({begin, begin + static_cast<std::ptrdiff_t>(count)});
  }
  return runner.measured_now();
}

bool transfers_lead(Store& store, int64_t workload, const RaceRecord& race, double margin) {
  const std::vector<TrialRecord> trials = store.trials(workload);
  return std::any_of(race.cells.begin(), race.cells.end(), [&](const RaceCell& cell) {
    const double found = fastest(times_of(trials, cell.bucket, race.packing, false));
    return fastest(times_of(trials, cell.bucket, race.packing, true)) < found * (1 - margin);
  });
}

std::optional<double> LeftOneOut::ratio() const {
  if (!transferred_ms || !(*transferred_ms > 0) || !std::isfinite(tuned_ms)) return std::nullopt;
  return tuned_ms / *transferred_ms;
}

std::vector<LeftOneOut> leave_one_out(const std::vector<MeasuredCell>& cells) {
  std::vector<LeftOneOut> table;
  for (const MeasuredCell& cell : cells) {
    bool other_shape = false;
    const std::map<std::string, double> times = from_other_shapes(cell, cells, other_shape);
    if (!other_shape) continue;
    LeftOneOut line = {cell.key, cell.rows, tuned_ms(cell), {}, {}, static_cast<int>(times.size())};
    for (const auto& [point, ms] : times) {
      if (!line.transferred_ms || ms < *line.transferred_ms) {
        line.transferred_ms = ms;
        line.point = point;
      }
    }
    table.push_back(line);
  }
  return table;
}

}  // namespace gatefold
