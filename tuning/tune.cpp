#include "tuning/tune.h"

#include <algorithm>
#include <cmath>

#include "tuning/final_race.h"
#include "tuning/joint_cost.h"
#include "tuning/race.h"
#include "tuning/search.h"
#include "tuning/trial_runner.h"
#include "tuning/tune_request.h"

namespace gatefold {
namespace {

void count_trials(TuneResult& result, const TrialRunner& runner) {
  result.trials = runner.book().size();
  result.measured_now = runner.measured_now();
  result.failed = runner.book().counts();
  result.ok = result.failed["ok"];
  result.failed.erase("ok");
}

std::optional<double> overall_speedup(const RaceRecord& race) {
  std::vector<double> speedups;
  for (const RaceCell& cell : race.cells) {
    const std::optional<double> speedup = speedup_of(cell);
    if (!speedup) return std::nullopt;
    speedups.push_back(*speedup);
  }
  if (speedups.empty()) return std::nullopt;
  return geometric_mean(speedups);
}

void require_some_result(const TuneResult& result, const TrialRunner& runner) {
  if (result.ok > 0) return;
  std::string kinds;
  for (const auto& [kind, count] : result.failed) kinds += " " + kind + " " + std::to_string(count);
  const std::string why = runner.book().first_failure();
  fail("tune: no candidate ran (" + std::to_string(result.trials) + " trials:" + kinds + ")" +
       (why.empty() ? "" : "; the first: " + why));
}

}  // namespace

std::optional<double> speedup_of(const RaceCell& cell) {
  if (!cell.default_ms || !(cell.median_ms > 0)) return std::nullopt;
  return *cell.default_ms / cell.median_ms;
}

TuneResult tune(const TuneRequest& wanted) {
  const TuneRequest request = checked_request(wanted);
  TuneResult result;
  Store store(request.database, Store::Open::create);
  const int64_t workload = store.workload(workload_of(request));
  const SearchSpace space = space_of(request, store, result.notes);
  TrialBook book(space, store, workload);
  TrialRunner runner(request, space, book);
  search(request, space, runner, result.notes);
  count_trials(result, runner);
  const std::optional<RaceRecord> known = store.race(workload, request.rows);
  result.interrupted = runner.stopped();
  result.race_reused = known && result.measured_now == 0 && known->trials == result.trials;
  if (result.race_reused || result.interrupted) {
    if (known) result.race = *known;
  } else {
    require_some_result(result, runner);
    if (auto race = run_final_race(runner, space, request.budget_s)) {
      store.save_race(workload, *race);
      result.race = store.race(workload, request.rows).value();
    } else {
      result.interrupted = true;
    }
  }
  result.seconds = runner.seconds();
  add_joint_costs(result.race, store.trials(workload));
  result.speedup = overall_speedup(result.race);
  return result;
}

}  // namespace gatefold
