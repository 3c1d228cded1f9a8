#include "bench/ladder/measured_steps.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "spec/error.h"
#include "tuning/contestant.h"
#include "tuning/measure_lock.h"
#include "tuning/race.h"
#include "tuning/roofline.h"

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAttempts = 3;  // at a sample that the system disturbs
constexpr int kLeastSamples = 3, kMostRounds = 2000;
// A step that takes so many times as long as the fastest sits out rounds, up to all but one in so
// many: the naive ones would take all the time.
constexpr double kSlow = 8;
constexpr int kRarest = 16;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Racer {
  Contestant contestant;
  std::vector<double> samples;
  int every = 1;  ///< takes part in one of so many rounds
};

class Ladder {
 public:
  explicit Ladder(const MeasureRequest& request)
      : request_(request),
        data_(request.ffn, request.seed, request.threads),
        oracle_(data_, request.target),
        inputs_{stored_as(request.ffn.act(), data_.x(0, request.rows)),
                stored_as(request.ffn.act(), data_.residual(0, request.rows))},
        racers_(request.libraries.size()) {}

  void load_and_check() {
    for (size_t i = 0; i < racers_.size(); ++i) {
      Contestant& c = racers_[i].contestant;
      c.open(request_.libraries[i], request_);
      if (!c.opened()) fail(request_.libraries[i] + ": " + c.result().message);
      place(c);
      c.check(request_, inputs_, oracle_);
    }
  }

  LadderFigures race(double seconds) {
    RoofMeter meter(request_.target, request_.threads);
    meter.sample();
    const auto begin = Clock::now();
    for (int round = 0; round < kMostRounds; ++round) {
      if (round > 0 && seconds_since(begin) > seconds && all_sampled()) break;
      run_round(round);
      meter.sample();
      if (round == 0) choose_turns();
    }
    return figures(meter.usual());
  }

 private:
  /// All steps have one packing, so one rotation serves them.
  void place(Contestant& c) {
    if (!rotation_) {
      const RotationOptions options{.threads = request_.threads, .cold = request_.cold};
      rotation_ = std::make_unique<WeightRotation>(c.table(), c.kernel(), data_, options);
    }
    auto route = rotation_->route(c.kernel());
    if (!route) fail(std::string(c.table().library) + ": its packing is not that of the others");
    c.place(*rotation_, std::move(*route));
  }

  bool all_sampled() const {
    return std::all_of(racers_.begin(), racers_.end(), [](const Racer& r) {
      return !r.contestant.racing() || r.samples.size() >= size_t{kLeastSamples};
    });
  }

  /// Who begins changes from round to round.
  void run_round(int round) {
    for (size_t i = 0; i < racers_.size(); ++i) {
      Racer& r = racers_[(i + static_cast<size_t>(round)) % racers_.size()];
      if (round % r.every != 0 || !r.contestant.racing()) continue;
      const double ms = r.contestant.timed_sample(request_, inputs_, kAttempts);
      if (std::isfinite(ms)) r.samples.push_back(ms);
    }
  }

  void choose_turns() {
    double fastest = INFINITY;
    for (const Racer& r : racers_) {
      if (!r.samples.empty()) fastest = std::min(fastest, r.samples[0]);
    }
    for (Racer& r : racers_) {
      if (r.samples.empty()) continue;
      const double turns = std::floor(r.samples[0] / (kSlow * fastest));
      r.every = static_cast<int>(std::clamp(turns, 1.0, double{kRarest}));
    }
  }

  LadderFigures figures(const Roof& roof) {
    LadderFigures all;
    all.roof = roof;
    all.copies = rotation_->copies();
    all.cold = rotation_->cold();
    for (Racer& r : racers_) all.steps.push_back(figures_of(r, roof));
    return all;
  }

  StepFigures figures_of(Racer& r, const Roof& roof) const {
    StepFigures f;
    f.ok = r.contestant.racing() && !r.samples.empty();
    f.note = r.contestant.result().message;
    f.rel_l2 = r.contestant.result().error.rel_l2;
    if (!f.ok) return f;
    f.samples = static_cast<int>(r.samples.size());
    f.median_ms = median(r.samples);
    const Shape& shape = request_.ffn.shape;
    f.gflops = 2e-6 * request_.ffn.variant.matrices() *
               static_cast<double>(shape.d_model * shape.d_ff) *
               static_cast<double>(request_.rows) / f.median_ms;
    if (!rotation_->cold()) return f;
    const Roofline bound = roofline(request_.ffn, request_.rows, roof, rotation_->packed_bytes());
    f.efficiency = efficiency(bound, f.median_ms);
    if (f.efficiency) return f;
    f.ok = false;
    f.note = "faster than the measured roof allows: the probe or the kernel is wrong";
    return f;
  }

  const MeasureRequest& request_;
  FfnData data_;
  Oracle oracle_;
  StoredInputs inputs_;
  std::unique_ptr<WeightRotation> rotation_;
  std::vector<Racer> racers_;  // after the rotation, which they run on
};

}  // namespace

LadderFigures measure_steps(const MeasureRequest& request, double seconds,
                            const std::function<void(const std::string&)>& progress) {
  Ladder ladder(request);
  LockOptions lock_options;
  lock_options.waiting = progress;
  const MeasureLock lock(lock_options);
  progress("checking against the reference");
  ladder.load_and_check();
  progress("timing");
  return ladder.race(seconds);
}

}  // namespace gatefold
