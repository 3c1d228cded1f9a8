#include "bench/interleaved.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

#include "accuracy/guarded_output.h"
#include "bench/entry.h"
#include "tuning/host.h"
#include "tuning/measure_lock.h"
#include "tuning/oracle.h"
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

void say(const Contest& contest, const std::string& text) {
  if (contest.progress) contest.progress(text);
}

/// Competitors may round as an unfused framework does; bench shows their error.
Oracle::Rounding rounding_of(const Entry& e) {
  return e.own ? Oracle::Rounding::fused : Oracle::Rounding::each_step;
}

class Bench {
 public:
  Bench(const Contest& contest, const std::vector<ContenderInfo>& others,
        const BenchOptions& options)
      : contest_(contest),
        options_(options),
        data_(contest.ffn, options.seed, gf_default_threads()),
        oracle_(data_, target_named(contest.isa).target) {
    entries_.emplace_back("gatefold", true).contender = make_gatefold(contest);
    for (const ContenderInfo& other : others) {
      Entry& e = entries_.emplace_back(other.name, other.own);
      e.attempt([&] { e.contender = other.make(contest); });
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

  /// As many copies as make every contender's rotation cold.
  void pack() {
    const int64_t cold_bytes = cold_rotation_bytes();
    result_.copies = 1;
    for (Entry& e : entries_) {
      if (stopped()) return;
      say(contest_, "packing weights for " + e.name);
      e.attempt([&] { e.contender->add_copy(data_); });
      if (!options_.cold || !e.absent.empty()) continue;
      const int64_t bytes = std::max<int64_t>(1, e.contender->weight_bytes());
      const auto wanted = std::clamp<int64_t>((cold_bytes + bytes - 1) / bytes, 1, kMostCopies);
      result_.copies = std::max(result_.copies, static_cast<int>(wanted));
    }
    result_.cold = options_.cold;
    for (Entry& e : entries_) {
      if (stopped()) return;
      e.attempt([&] {
        for (int copy = 1; copy < result_.copies; ++copy) e.contender->add_copy(data_);
        // Blocks so small that 256 copies stay in the cache are nowhere cold.
        result_.cold &= e.contender->weight_bytes() * result_.copies >= cold_bytes;
      });
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
      e.attempt([&] {
        if (!e.contender->set_residual(residual))
          fail_usage("--vs: '" + e.name + "' adds no residual, which the library does");
      });
    }
  }

  /// The first call: not timed, its output compared with the reference.
  BenchCell judge(Entry& e, const gf_rows& x, GuardedOutput& output) {
    BenchCell cell;
    cell.impl = e.name;
    cell.rows = x.rows;
    cell.own = e.own;
    e.samples.clear();
    e.fault.clear();
    e.attempt([&] { judge_first_call(e, cell, x, output); });
    return cell;
  }

  void judge_first_call(Entry& e, BenchCell& cell, const gf_rows& x, GuardedOutput& output) {
    output.poison();
    e.contender->run(0, 0, x, output.rows());
    const Oracle::Verdict verdict = oracle_.judge(output.data(), x.rows, rounding_of(e));
    cell.max_abs = verdict.error.max_abs;
    cell.rel_l2 = verdict.error.rel_l2;
    cell.note = verdict.ok ? output.complaint() : verdict.message;
    cell.ok = cell.note.empty() && verdict.ok;
    cell.kernel = e.contender->description();
    cell.weight_bytes = e.contender->weight_bytes();
    e.judged.assign(output.data(), output.data() + output.bytes());
  }

  /// Every round times each contender once, on the copy of its rotation that is longest unused
  /// (the one before it served the untimed call), and the roof once. The order is drawn anew: in a
  /// fixed one each would always run after the same other one, and pay for what that one left in
  /// caches and scheduler (seen between our own two: 0.81 to 1.0 of the time). False if interrupted
  /// before there are enough.
  bool time_rounds(const gf_rows& x, GuardedOutput& output, RoofMeter& meter) {
    const auto begin = Clock::now();
    std::mt19937_64 random(options_.seed);
    std::vector<size_t> order(entries_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (int round = 0; round < options_.max_rounds; ++round) {
      const bool enough = round >= options_.min_rounds;
      if (stopped()) return enough;
      if (enough && ms_since(begin) > 1000 * options_.seconds) break;
      std::shuffle(order.begin(), order.end(), random);
      for (const size_t i : order) {
        Entry& e = entries_[i];
        e.attempt([&] { e.samples.push_back(sample(e, x, output)); });
      }
      if (result_.cold) meter.sample();
    }
    return true;
  }

  size_t next_copy(Entry& e) const { return e.next_copy++ % static_cast<size_t>(result_.copies); }

  /// One call that the system left alone; if there was none, the fastest of the disturbed ones.
  double sample(Entry& e, const gf_rows& x, GuardedOutput& output) {
    double best = INFINITY;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const size_t before = next_copy(e), copy = next_copy(e);
      output.poison();
      const CallTime time = e.contender->run(before, copy, x, output.rows());
      compare(e, output, x.rows);
      if (!time.disturbed) return time.ms;
      best = std::min(best, time.ms);
    }
    return best;
  }

  /// Outside the timed stretch. Same bits as the judged call are right; others are judged again.
  void compare(Entry& e, const GuardedOutput& output, int64_t rows) {
    if (std::memcmp(e.judged.data(), output.data(), output.bytes()) == 0) return;
    if (const auto verdict = oracle_.judge(output.data(), rows, rounding_of(e)); !verdict.ok)
      e.fault = "a timed call: " + verdict.message;
  }

  void finish(BenchCell& cell, const Entry& e, const Roof& roof) const {
    cell.ran = e.absent.empty();
    if (!cell.ran) {
      cell.ok = false;
      cell.note = "not run: " + e.absent;
      return;
    }
    if (&e != &entries_.front()) cell.ratio = compare_paired(e.samples, entries_.front().samples);
    cell.median_ms = median(e.samples);
    cell.min_ms = *std::min_element(e.samples.begin(), e.samples.end());
    if (!e.fault.empty()) cell.ok = false, cell.note = e.fault;
    cell.output_ok = cell.ok;
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
