#include "tuning/tune.h"

#include <algorithm>
#include <cmath>

#include "tuning/final_race.h"
#include "tuning/joint_cost.h"
#include "tuning/race.h"
#include "tuning/strategy.h"
#include "tuning/trial_runner.h"
#include "tuning/tune_request.h"

namespace gatefold {
namespace {

// Of a budget, for the final race; more where calls are so long that it takes more.
constexpr double kRaceShare = 0.35, kLargestRaceShare = 0.6;

StrategyInput input_of(const TuneRequest& request, const SearchSpace& space) {
  StrategyInput input{space};
  input.seed = request.seed;
  input.budget = request.trials;
  input.predicted_ms = model_of(space, request.cost_model, request.threads);
  return input;
}

/// Asks, measures and tells until trials, time or space end. A strategy is asked for and told
/// whole batches of one size, however many of them time allows at once: so a resumed run proposes
/// what an undisturbed one does.
class Search {
 public:
  Search(const TuneRequest& request, const SearchSpace& space, TrialRunner& runner)
      : request_(request),
        space_(space),
        runner_(runner),
        strategy_(make_strategy(request.strategy, input_of(request, space))),
        first_(space.buckets.size()),
        size_(batch_size(space)) {}

  void run() {
    while (!runner_.stopped()) {
      if (done_ == batch_.size()) next_batch();
      const std::vector<Candidate> now = affordable();
      if (now.empty()) return;
      const double before = runner_.elapsed_s();
      const int measured = runner_.measured_now();
      runner_.run(now);
      if (runner_.stopped()) return;
      done_ += now.size();
      if (const int fresh = runner_.measured_now() - measured) {
        seconds_each_ = (runner_.elapsed_s() - before) / fresh;
      }
    }
  }

 private:
  /// Trials that may still be made.
  size_t room() const {
    double room = static_cast<double>(size_);
    if (request_.trials) room = std::min(room, 1.0 * (*request_.trials - runner_.book().size()));
    if (request_.budget_s && runner_.measured_now() == 0) {
      // How long they take is not known yet; the defaults are what every result needs.
      room = std::min(room, static_cast<double>(first_));
    } else if (request_.budget_s) {
      const double left = *request_.budget_s - race_seconds() - runner_.elapsed_s();
      room = std::min(room, left / std::max(seconds_each_, 1e-3));
    }
    return room < 1 ? 0 : static_cast<size_t>(room);
  }

  double race_seconds() const {
    const double budget = *request_.budget_s;
    return std::clamp(least_race_seconds(runner_.book(), space_), kRaceShare * budget,
                      kLargestRaceShare * budget);
  }

  /// Tells the last batch and asks for the next.
  void next_batch() {
    for (const Candidate& c : batch_) strategy_->tell(c, runner_.book().screened_ms(c));
    batch_.clear();
    done_ = 0;
    while (batch_.size() < size_) {
      std::optional<Candidate> candidate = strategy_->ask();
      if (!candidate) break;
      batch_.push_back(*candidate);
    }
  }

  /// What of the batch may be measured now. Known trials are proposed again when a run is resumed;
  /// they take no room.
  std::vector<Candidate> affordable() const {
    std::vector<Candidate> now;
    size_t fresh = 0;
    const size_t most = room();
    for (size_t i = done_; i < batch_.size() && fresh < most; ++i) {
      if (!runner_.book().find(batch_[i])) ++fresh;
      now.push_back(batch_[i]);
    }
    return now;
  }

  const TuneRequest& request_;
  const SearchSpace& space_;
  TrialRunner& runner_;
  std::unique_ptr<Strategy> strategy_;
  size_t first_, size_;
  std::vector<Candidate> batch_;
  size_t done_ = 0;  ///< of the batch
  double seconds_each_ = 0;
};

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
  Search(request, space, runner).run();
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
  add_joint_costs(result.race, store.trials(workload));
  result.speedup = overall_speedup(result.race);
  return result;
}

}  // namespace gatefold
