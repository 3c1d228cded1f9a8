#include "bench/interleaved.h"

#include <algorithm>
#include <chrono>

#include "spec/error.h"
#include "tuning/guarded_output.h"
#include "tuning/host.h"
#include "tuning/measure_lock.h"
#include "tuning/oracle.h"
#include "tuning/race.h"
#include "tuning/roofline.h"

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostCopies = 256;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

struct Entry {
  std::string name;
  std::unique_ptr<Contender> contender;
  std::vector<double> samples;
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
    entries_.push_back({"gatefold", make_gatefold(contest), {}});
    for (const ContenderInfo& other : others) {
      entries_.push_back({other.name, other.make(contest), {}});
    }
  }

  BenchResult run() {
    pack();
    LockOptions lock_options;
    lock_options.stop = options_.stop;
    lock_options.waiting = contest_.progress;
    const MeasureLock lock(lock_options);
    if (stopped()) return std::move(result_);
    result_.roof = roof_now();
    for (const int64_t rows : contest_.rows) {
      if (stopped()) break;
      say(contest_, "rows " + std::to_string(rows));
      measure(rows);
      // Between the cells again: others on the same host come and go, and a roof from a busy moment
      // would make honest times look impossible.
      result_.roof = better_of(result_.roof, roof_now());
    }
    for (BenchCell& cell : result_.cells) relate_to_roof(cell);
    return std::move(result_);
  }

 private:
  Roof roof_now() {
    say(contest_, "measuring what this machine reaches at most");
    return measure_roof(target_named(contest_.isa).target, contest_.threads);
  }

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

  void measure(int64_t rows) {
    std::vector<uint8_t> input = stored_as(contest_.ffn.dtype, data_.x(0, rows));
    const gf_rows x =
        dense_rows(input.data(), contest_.ffn.dtype, rows, contest_.ffn.shape.d_model);
    GuardedOutput output(rows, x.cols, x.dtype);
    std::vector<BenchCell> cells;
    for (Entry& e : entries_) cells.push_back(judge(e, x, output));
    if (!time_rounds(x, output)) return;
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::vector<double>& samples = entries_[i].samples;
      cells[i].median_ms = median(samples);
      cells[i].min_ms = *std::min_element(samples.begin(), samples.end());
    }
    result_.cells.insert(result_.cells.end(), cells.begin(), cells.end());
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
    return cell;
  }

  /// Every round times each contender once, on the copy of its rotation that is longest unused;
  /// who begins changes from round to round. False if interrupted before there are enough.
  bool time_rounds(const gf_rows& x, GuardedOutput& output) {
    const gf_rows y = output.rows();
    const auto begin = Clock::now();
    for (int round = 0; round < options_.max_rounds; ++round) {
      const bool enough = round >= options_.min_rounds;
      if (stopped()) return enough;
      if (enough && ms_since(begin) > 1000 * options_.seconds) break;
      for (size_t i = 0; i < entries_.size(); ++i) {
        Entry& e = entries_[(i + static_cast<size_t>(round)) % entries_.size()];
        const auto start = Clock::now();
        e.contender->run(next_copy_ % static_cast<size_t>(result_.copies), x, y);
        e.samples.push_back(ms_since(start));
      }
      ++next_copy_;
    }
    return true;
  }

  void relate_to_roof(BenchCell& cell) const {
    const Roofline bound = roofline(contest_.ffn, cell.rows, result_.roof, cell.weight_bytes);
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
  size_t next_copy_ = 1;
};

}  // namespace

BenchResult run_interleaved(const Contest& contest, const std::vector<ContenderInfo>& others,
                            const BenchOptions& options) {
  return Bench(contest, others, options).run();
}

}  // namespace gatefold
