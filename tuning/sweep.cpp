#include "tuning/sweep.h"

#include <algorithm>
#include <chrono>

#include "tuning/joint_cost.h"

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

/// Tells how long a phase will go on, by how long it took so far.
class Pace {
 public:
  Pace(const SweepRequest& request, double guess_s, std::string phase, bool searches)
      : request_(request), guess_s_(guess_s), phase_(std::move(phase)), searches_(searches) {}

  void begin(size_t number, size_t cells, const SweepCell& cell) {
    number_ = number;
    cells_ = cells;
    cell_ = cell.text();
    if (number_ == 0) start_ = Clock::now();
  }

  /// The share of the cell that is done counts as that share of a cell.
  double seconds_left(double share) const {
    const double done = static_cast<double>(number_) + share;
    const double passed = std::chrono::duration<double>(Clock::now() - start_).count();
    const double left = static_cast<double>(cells_) - done;
    // The first cell tells little: until it is done, the guess is what there is.
    if (done < 1) return std::max(0.0, guess_s_ - passed);
    return passed / done * left;
  }

  void report(const TuneProgress& tune) const {
    if (!request_.progress) return;
    request_.progress(
        {number_ + 1, cells_, phase_ + " " + cell_, tune, seconds_left(share_done(tune))});
  }

 private:
  /// Of a cell. After all trials the final race is still to come.
  double share_done(const TuneProgress& tune) const {
    double share = 0;
    if (tune.trials_wanted) share = 0.9 * tune.trials / std::max(1, *tune.trials_wanted);
    if (tune.budget_s) share = tune.elapsed_s / *tune.budget_s;
    return searches_ ? std::clamp(share, 0.0, 1.0) : 0;
  }

  const SweepRequest& request_;
  double guess_s_;
  std::string phase_, cell_;
  bool searches_;
  size_t number_ = 0, cells_ = 0;
  Clock::time_point start_ = Clock::now();
};

class Sweep {
 public:
  explicit Sweep(const SweepRequest& request)
      : request_(request), store_(request.base.database, Store::Open::create) {
    for (const SweepCell& cell : request.plan.cells) {
      result_.cells.emplace_back();
      result_.cells.back().cell = cell;
    }
  }

  SweepResult run() {
    tune_all();
    if (request_.file.transfer && result_.cells.size() > 1 && !stopped()) transfer_all();
    result_.interrupted = stopped();
    return std::move(result_);
  }

 private:
  bool stopped() const { return request_.base.stop && request_.base.stop->load(); }

  TuneRequest request_for(const SweepCell& cell, const Pace& pace) const {
    TuneRequest r = request_.base;
    r.ffn = cell.ffn;
    r.target = cell.target;
    r.threads = cell.threads;
    r.rows = request_.plan.rows;
    r.trials = request_.file.trials;
    r.budget_s = request_.file.budget_s;
    if (!request_.file.strategy.empty()) r.strategy = request_.file.strategy;
    r.seed = request_.file.seed;
    r.progress = [&pace](const TuneProgress& p) { pace.report(p); };
    return r;
  }

  void take_race(SweepCellResult& out) {
    const WorkloadKey key = workload_of(out.cell, request_.base.cpu_name);
    const std::optional<int64_t> workload = store_.known_workload(key);
    const auto race = workload ? store_.race(*workload, request_.plan.rows) : std::nullopt;
    if (race) out.race = StoredRace{key, *race, *workload};
  }

  /// An error of one cell is not the others'. What a stop breaks off is no failure.
  template <typename Work>
  void guarded(SweepCellResult& out, Work work) {
    try {
      work();
    } catch (const std::exception& e) {
      if (!stopped()) out.error = e.what();
    }
  }

  void tune_all() {
    std::vector<SweepCellResult*> open;
    for (SweepCellResult& out : result_.cells) {
      out.known = finished(store_, out.cell, request_.plan, request_.file, request_.base.cpu_name);
      if (out.known) {
        take_race(out);
      } else {
        open.push_back(&out);
      }
    }
    const SweepWork work = work_left(request_.plan, request_.file, request_.base.cpu_name, &store_);
    transfer_guess_s_ = work.transfer_seconds;
    Pace pace(request_, work.seconds, "tuning", true);
    for (size_t i = 0; i < open.size() && !stopped(); ++i) {
      pace.begin(i, open.size(), open[i]->cell);
      guarded(*open[i], [&] { tune_one(*open[i], pace); });
    }
  }

  void tune_one(SweepCellResult& out, const Pace& pace) {
    const TuneResult tuned = tune(request_for(out.cell, pace));
    out.measured_now = tuned.measured_now;
    for (const std::string& note : tuned.notes) {
      result_.notes.push_back(out.cell.text() + ": " + note);
    }
    if (!tuned.interrupted) take_race(out);
  }

  void transfer_all() {
    const std::vector<MeasuredCell> winners = measured_cells(store_, result_);
    std::vector<SweepCellResult*> open;
    for (SweepCellResult& out : result_.cells) {
      if (out.race) open.push_back(&out);
    }
    Pace pace(request_, transfer_guess_s_, "winners of the other cells in", false);
    for (size_t i = 0; i < open.size() && !stopped(); ++i) {
      pace.begin(i, open.size(), open[i]->cell);
      guarded(*open[i], [&] { transfer_to(*open[i], winners, pace); });
    }
  }

  void transfer_to(SweepCellResult& out, const std::vector<MeasuredCell>& winners,
                   const Pace& pace) {
    TuneRequest request = request_for(out.cell, pace);
    // With one trial wanted, and more than that known, tune() only holds the final race.
    request.trials = 1;
    request.budget_s.reset();
    out.transfers = measure_transfers(request, winners);
    const std::vector<RowBucket> buckets = row_buckets(request_.plan.rows);
    const int64_t workload = out.race->workload;
    const bool decided = out.race->race.trials >= stored_trials(store_, workload, buckets);
    if (stopped() || decided || !transfers_lead(store_, workload, out.race->race)) return;
    tune(request);
    if (!stopped()) take_race(out);
  }

  const SweepRequest& request_;
  Store store_;
  SweepResult result_;
  double transfer_guess_s_ = 0;
};

}  // namespace

int SweepResult::failed() const {
  return static_cast<int>(std::count_if(cells.begin(), cells.end(),
                                        [](const SweepCellResult& c) { return !c.error.empty(); }));
}

SweepResult run_sweep(const SweepRequest& request) { return Sweep(request).run(); }

std::vector<MeasuredCell> measured_cells(Store& store, SweepResult& result) {
  std::vector<MeasuredCell> all;
  for (SweepCellResult& cell : result.cells) {
    if (!cell.race) continue;
    add_joint_costs(cell.race->race, store.trials(cell.race->workload));
    for (MeasuredCell& m : measured_cells(store, *cell.race)) all.push_back(std::move(m));
  }
  return all;
}

}  // namespace gatefold
