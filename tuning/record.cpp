#include "tuning/record.h"

#include <cmath>

#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "tuning/trial_book.h"
#include "tuning/tune_request.h"

namespace gatefold {

void check_recordable(const TuneRequest& request) {
  if (request.rows.size() != 1) {
    fail_usage("--record: " + std::to_string(request.rows.size()) +
               " row buckets, wanted --rows with one number");
  }
  if (!request.ffn.shape.fixed()) {
    fail_usage("--record: sizes " + request.ffn.shape.text() + ", wanted fixed d_model and d_ff");
  }
}

RecordedSpace recorded_trials(const TuneRequest& wanted) {
  check_recordable(wanted);
  TuneRequest request = wanted;
  if (request.threads == 0) request.threads = gf_default_threads();
  Store store(request.database, Store::Open::existing);
  RecordedSpace space;
  space.key = workload_of(request);
  space.caches = request.cpu;
  space.rows = request.rows.front();
  const std::optional<int64_t> workload = store.known_workload(space.key);
  if (!workload) fail(request.database.string() + ": no trials of this block");
  const SearchSpace search = space.search_space();
  const TrialBook book(search, store, *workload);
  const RowBucket& bucket = search.buckets.front();
  for (const TrialRecord& trial : store.trials(*workload)) {
    if (!trial.is_of(bucket)) continue;
    for (size_t p = 0; p < search.packings.size(); ++p) {
      if (search.packings[p] != trial.packing) continue;
      const double ms = book.screened_ms({p, 0, trial.point, trial.proposer});
      const bool timed = trial.result.kind == TrialKind::ok && std::isfinite(ms);
      const TrialKind kind =
          timed || trial.result.kind != TrialKind::ok ? trial.result.kind : TrialKind::noisy;
      space.points.push_back({trial.packing, trial.point, kind, timed ? ms : kUnknown});
    }
  }
  if (space.points.empty()) {
    fail(request.database.string() + ": no trials of this block at " + std::to_string(space.rows) +
         " rows");
  }
  return space;
}

}  // namespace gatefold
