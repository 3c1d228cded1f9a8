#include "tuning/search.h"

#include <algorithm>
#include <cmath>

#include "tuning/cost_model.h"
#include "tuning/final_race.h"
#include "tuning/known_winners.h"
#include "tuning/strategy.h"

namespace gatefold {
namespace {

// Of a budget, for the final race; more where calls are so long that it takes more.
constexpr double kRaceShare = 0.35, kLargestRaceShare = 0.6;

StrategyInput input_of(const TuneRequest& request, const SearchSpace& space) {
  StrategyInput input{space};
  input.seed = request.seed;
  input.budget = request.trials;
  input.predicted_ms = model_of(space, request.cost_model, request.threads);
  // The program's own, which are the same when the run is resumed; a database grows.
  input.known = nearest_known(space, shipped_winners(), request.threads);
  return input;
}

/// Asks, measures and tells until trials, time or space end. A strategy is asked for and told
/// whole batches of one size, however many of them time allows at once: so a resumed run proposes
/// what an undisturbed one does.
class Search {
 public:
  Search(const TuneRequest& request, const SearchSpace& space, TrialRunner& runner,
         std::vector<std::string>& notes)
      : request_(request),
        space_(space),
        runner_(runner),
        notes_(notes),
        strategy_(make_strategy(request.strategy, input_of(request, space))),
        first_(space.buckets.size()),
        size_(batch_size(space)) {}

  void run() {
    while (!runner_.stopped()) {
      if (done_ == batch_.size()) next_batch();
      if (request_.budget_s && !request_.trials && near_the_bound()) return stop_early();
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

  /// Whether under one packing no row count has more than a few per cent to win.
  bool near_the_bound() const {
    if (!(runner_.roof().read_gbps > 0)) return false;
    for (size_t p = 0; p < space_.packings.size(); ++p) {
      if (near_the_bound_with(p)) return true;
    }
    return false;
  }

  bool near_the_bound_with(size_t packing) const {
    for (size_t b = 0; b < space_.buckets.size(); ++b) {
      const std::vector<Candidate> ranked = runner_.book().ranked(packing, b);
      if (ranked.empty()) return false;
      const KernelSpec best = space_.kernel(packing, b, ranked[0].point);
      const double ms = runner_.book().screened_ms(ranked[0]);
      if (!near_bound(ms, lower_bound_ms(best, runner_.roof()))) return false;
    }
    return true;
  }

  void stop_early() {
    notes_.push_back("stopped before the budget: every row count is within 3 % of the roofline");
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
  std::vector<std::string>& notes_;
  std::unique_ptr<Strategy> strategy_;
  size_t first_, size_;
  std::vector<Candidate> batch_;
  size_t done_ = 0;  ///< of the batch
  double seconds_each_ = 0;
};

}  // namespace

void search(const TuneRequest& request, const SearchSpace& space, TrialRunner& runner,
            std::vector<std::string>& notes) {
  Search(request, space, runner, notes).run();
}

}  // namespace gatefold
