#include "bench/interleaved.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "spec/error.h"
#include "tuning/guarded_output.h"
#include "tuning/host.h"
#include "tuning/measure_lock.h"
#include "tuning/noise.h"
#include "tuning/oracle.h"
#include "tuning/race.h"
#include "tuning/roofline.h"

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostCopies = 256;
constexpr int kAttempts = 3;     // at a sample that the system disturbs
constexpr int kRoofSamples = 8;  // before the first contender

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Entry {
  Entry(std::string name, std::unique_ptr<Contender> contender)
      : name(std::move(name)), contender(std::move(contender)) {}

  std::string name;
  std::unique_ptr<Contender> contender;
  size_t next_copy = 1;  ///< of its weights
  std::vector<double> samples;
  std::vector<uint8_t> judged;  ///< y of the call that was compared with the reference
  std::string fault;            ///< what a timed call did wrong
};

void say(const Contest& contest, const std::string& text) {
  if (contest.progress) contest.progress(text);
}

class Bench {
 public:
  Bench(const Contest& contest, const std::vector<ContenderInfo>& others,
        const BenchOptions& options)
      : contest_(contest),
        options_(options),
        data_(contest.ffn, options.seed, gf_default_threads()),
        oracle_(data_, target_named(contest.isa).target) {
    entries_.emplace_back("gatefold", make_gatefold(contest));
    for (const ContenderInfo& other : others) {
      entries_.emplace_back(other.name, other.make(contest));
    }
  }

  BenchResult run() {
    pack();
    LockOptions lock_options;
    lock_options.stop = options_.stop;
    lock_options.waiting = contest_.progress;
    const MeasureLock lock(lock_options);
    if (stopped()) return std::move(result_);
    say(contest_, "measuring what this machine reaches at most");
    RoofMeter meter(target_named(contest_.isa).target, contest_.threads);
    for (int i = 0; i < kRoofSamples; ++i) meter.sample();
    for (const int64_t rows : contest_.rows) {
      if (stopped()) break;
      say(contest_, "rows " + std::to_string(rows));
      measure(rows, meter);
    }
    result_.roof = meter.usual();
    result_.best_roof = meter.best();
    return std::move(result_);
  }

 private:
  bool stopped() const { return options_.stop && *options_.stop; }

  /// As many copies as make every contender's rotation more than twice the last cache.
  void pack() {
    const int64_t cold_bytes = 2 * last_level_cache_bytes() + 1;
    result_.copies = 1;
    for (Entry& e : entries_) {
      say(contest_, "packing weights for " + e.name);
      e.contender->add_copy(data_);
      const int64_t bytes = std::max<int64_t>(1, e.contender->weight_bytes());
      const auto wanted = std::clamp<int64_t>((cold_bytes + bytes - 1) / bytes, 1, kMostCopies);
      if (options_.cold) result_.copies = std::max(result_.copies, static_cast<int>(wanted));
    }
    result_.cold = options_.cold;
    for (Entry& e : entries_) {
      for (int copy = 1; copy < result_.copies; ++copy) e.contender->add_copy(data_);
      // Blocks so small that 256 copies stay in the cache are nowhere cold.
      result_.cold &= e.contender->weight_bytes() * result_.copies >= cold_bytes;
    }
  }

  void measure(int64_t rows, RoofMeter& meter) {
    std::vector<uint8_t> input = stored_as(contest_.ffn.act(), data_.x(0, rows));
    const gf_rows x =
        dense_rows(input.data(), contest_.ffn.act(), rows, contest_.ffn.shape.d_model);
    std::vector<uint8_t> residual = stored_as(contest_.ffn.act(), data_.residual(0, rows));
    give_residual(dense_rows(residual.data(), contest_.ffn.act(), rows, x.cols));
    GuardedOutput output(rows, x.cols, x.dtype);
    std::vector<BenchCell> cells;
    for (Entry& e : entries_) cells.push_back(judge(e, x, output));
    const int first = result_.cold ? meter.samples() : 0;
    if (!time_rounds(x, output, meter)) return;
    const Roof roof = meter.usual(first);
    for (size_t i = 0; i < cells.size(); ++i) finish(cells[i], entries_[i], roof);
    result_.cells.insert(result_.cells.end(), cells.begin(), cells.end());
  }

  void give_residual(const gf_rows& residual) {
    if (!contest_.ffn.residual) return;
    for (Entry& e : entries_) {
      if (!e.contender->set_residual(residual))
        fail_usage("--vs: '" + e.name + "' adds no residual, which the library does");
    }
  }

  /// The first call: not timed, its output compared with the reference.
  BenchCell judge(Entry& e, const gf_rows& x, GuardedOutput& output) {
    BenchCell cell;
    cell.impl = e.name;
    cell.rows = x.rows;
    output.poison();
    e.contender->run(0, x, output.rows());
    const Oracle::Verdict verdict = oracle_.judge(output.data(), x.rows);
    cell.max_abs = verdict.error.max_abs;
    cell.rel_l2 = verdict.error.rel_l2;
    cell.note = verdict.ok ? output.complaint() : verdict.message;
    cell.ok = cell.note.empty() && verdict.ok;
    cell.kernel = e.contender->description();
    cell.weight_bytes = e.contender->weight_bytes();
    e.samples.clear();
    e.judged.assign(output.data(), output.data() + output.bytes());
    e.fault.clear();
    return cell;
  }

  /// Every round times each contender once, on the copy of its rotation that is longest unused,
  /// and the roof once; who begins changes from round to round. False if interrupted before there
  /// are enough.
  bool time_rounds(const gf_rows& x, GuardedOutput& output, RoofMeter& meter) {
    const auto begin = Clock::now();
    for (int round = 0; round < options_.max_rounds; ++round) {
      const bool enough = round >= options_.min_rounds;
      if (stopped()) return enough;
      if (enough && ms_since(begin) > 1000 * options_.seconds) break;
      for (size_t i = 0; i < entries_.size(); ++i) {
        Entry& e = entries_[(i + static_cast<size_t>(round)) % entries_.size()];
        e.samples.push_back(sample(e, x, output));
      }
      if (result_.cold) meter.sample();
    }
    return true;
  }

  /// One call that the system left alone; if there was none, the fastest of the disturbed ones.
  double sample(Entry& e, const gf_rows& x, GuardedOutput& output) {
    double best = INFINITY;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const size_t copy = e.next_copy++ % static_cast<size_t>(result_.copies);
      output.poison();
      const NoiseGuard guard;
      const auto start = Clock::now();
      e.contender->run(copy, x, output.rows());
      const double ms = ms_since(start);
      const bool disturbed = guard.disturbed(ms);
      compare(e, output, x.rows);
      if (!disturbed) return ms;
      best = std::min(best, ms);
    }
    return best;
  }

  /// Outside the timed stretch. Same bits as the judged call are right; others are judged again.
  void compare(Entry& e, const GuardedOutput& output, int64_t rows) {
    if (std::memcmp(e.judged.data(), output.data(), output.bytes()) == 0) return;
    if (const auto verdict = oracle_.judge(output.data(), rows); !verdict.ok)
      e.fault = "a timed call: " + verdict.message;
  }

  void finish(BenchCell& cell, const Entry& e, const Roof& roof) const {
    cell.median_ms = median(e.samples);
    cell.min_ms = *std::min_element(e.samples.begin(), e.samples.end());
    if (!e.fault.empty()) cell.ok = false, cell.note = e.fault;
    const Roofline bound = roofline(contest_.ffn, cell.rows, roof, cell.weight_bytes);
    cell.roofline_ms = bound.ms;
    cell.bound = bound.bound;
    if (!result_.cold) return;
    cell.efficiency = efficiency(bound, cell.median_ms);
    if (cell.efficiency || bound.ms <= kHighestEfficiency * cell.median_ms) return;
    cell.ok = false;
    cell.note = "faster than the measured roof allows: the probe or the kernel is wrong";
  }

  const Contest& contest_;
  const BenchOptions& options_;
  FfnData data_;
  Oracle oracle_;
  std::vector<Entry> entries_;
  BenchResult result_;
};

}  // namespace

BenchResult run_interleaved(const Contest& contest, const std::vector<ContenderInfo>& others,
                            const BenchOptions& options) {
  return Bench(contest, others, options).run();
}

}  // namespace gatefold
