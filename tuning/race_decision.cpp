#include "tuning/race_decision.h"

#include <algorithm>
#include <cmath>

#include "spec/error.h"

namespace gatefold {
namespace {

constexpr double kAlpha = 0.05;

using Entries = std::vector<RaceEntry>;

std::vector<size_t> of_packing(const Entries& entries, size_t packing) {
  std::vector<size_t> numbers;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].candidate.packing == packing) numbers.push_back(i);
  }
  return numbers;
}

std::optional<size_t> default_of(const Entries& entries, size_t packing) {
  for (size_t i : of_packing(entries, packing)) {
    if (entries[i].is_default) return i;
  }
  return std::nullopt;
}

size_t fastest_by_median(const Entries& entries, const std::vector<size_t>& among) {
  size_t best = among.at(0);
  for (size_t i : among) {
    if (entries[i].median_ms() < entries[best].median_ms()) best = i;
  }
  return best;
}

/// By the time relative to the base in the same rounds.
size_t fastest_against(const Entries& entries, const std::vector<size_t>& among, size_t base) {
  size_t best = among.at(0);
  double best_ratio = INFINITY;
  for (size_t i : among) {
    const double ratio = compare_paired(entries[i].samples, entries[base].samples).ratio;
    if (ratio < best_ratio) best_ratio = ratio, best = i;
  }
  return best;
}

/// Winner, runner-up and margin among the entries of one packing. Only the default of the default
/// packing has a claim of its own: what replaces it must be faster beyond doubt.
void rank(const Entries& entries, const std::vector<size_t>& among, CellDecision& cell) {
  std::vector<Racer> racers;
  size_t favoured = 0;
  const size_t first =
      cell.base ? fastest_against(entries, among, *cell.base) : fastest_by_median(entries, among);
  const bool claims = cell.base && std::count(among.begin(), among.end(), *cell.base);
  for (size_t i : among) {
    if (i == (claims ? *cell.base : first)) favoured = racers.size();
    racers.push_back({entries[i].samples});
  }
  const RaceResult result = decide_race(racers, favoured);
  cell.winner = among[result.winner];
  if (result.runner_up) cell.runner_up = among[*result.runner_up];
  cell.margin_pct = result.margin_pct;
}

CellDecision decide_cell(const Entries& entries, size_t packing) {
  const std::vector<size_t> among = of_packing(entries, packing);
  if (among.empty()) fail("final race: no schedule of the chosen packing ran");
  CellDecision cell;
  cell.base = default_of(entries, 0);
  rank(entries, among, cell);
  for (size_t i : among) {
    if (entries[i].is_unfused_control) cell.unfused = i;
  }
  if (!cell.base) return cell;
  const double alpha = kAlpha / static_cast<double>(std::max<size_t>(1, entries.size() - 1));
  cell.against_default =
      cell.base == cell.winner
          ? Paired{1, 1, 1, 0, 0}
          : compare_paired(entries[cell.winner].samples, entries[*cell.base].samples, alpha);
  return cell;
}

std::vector<CellDecision> decide_cells(const std::vector<Entries>& buckets, size_t packing) {
  std::vector<CellDecision> cells;
  for (const Entries& entries : buckets) cells.push_back(decide_cell(entries, packing));
  return cells;
}

/// Whether the winners under another packing are, over all buckets, faster than the defaults.
bool worth_changing(const std::vector<CellDecision>& cells) {
  double sum = 0, variance = 0;
  for (const CellDecision& cell : cells) {
    if (!cell.base) return true;  // the default did not run: nothing to be kept
    const Paired& p = *cell.against_default;
    if (p.slower() || !std::isfinite(p.standard_error)) return false;
    sum += std::log(p.ratio);
    variance += p.standard_error * p.standard_error;
  }
  const double n = static_cast<double>(cells.size());
  return sum / n + normal_quantile(1 - kAlpha / 2) * std::sqrt(variance) / n < 0;
}

}  // namespace

double RaceEntry::median_ms() const {
  std::vector<double> taken;
  for (double ms : samples) {
    if (std::isfinite(ms)) taken.push_back(ms);
  }
  return median(taken);
}

Decision decide(const std::vector<std::vector<RaceEntry>>& buckets, size_t favourite) {
  if (favourite != 0) {
    Decision changed = {favourite, decide_cells(buckets, favourite)};
    if (worth_changing(changed.cells)) return changed;
  }
  return {0, decide_cells(buckets, 0)};
}

}  // namespace gatefold
