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

/// The level at which the winners of a packing may be called faster as if they had been named
/// beforehand: divided by the number of ways in which one could have been picked in each bucket.
double level_of_picks(const std::vector<Entries>& buckets, size_t packing) {
  double picks = 1;
  for (const Entries& entries : buckets) {
    picks *= static_cast<double>(of_packing(entries, packing).size());
  }
  return kAlpha / picks;
}

/// Whether the winners of `changed` are, over all buckets, faster than those of `kept`.
bool worth_changing(const std::vector<Entries>& buckets, const Decision& kept,
                    const Decision& changed) {
  const double level = level_of_picks(buckets, changed.packing);
  double sum = 0, variance = 0;
  for (size_t b = 0; b < buckets.size(); ++b) {
    const Entries& entries = buckets[b];
    const Paired p = compare_paired(entries[changed.cells[b].winner].samples,
                                    entries[kept.cells[b].winner].samples, kAlpha);
    if (p.slower() || !std::isfinite(p.standard_error)) return false;
    sum += std::log(p.ratio);
    variance += p.standard_error * p.standard_error;
  }
  return sum + normal_quantile(1 - level / 2) * std::sqrt(variance) < 0;
}

bool runs_everywhere(const std::vector<Entries>& buckets, size_t packing) {
  return std::all_of(buckets.begin(), buckets.end(),
                     [&](const Entries& entries) { return !of_packing(entries, packing).empty(); });
}

}  // namespace

double RaceEntry::median_ms() const {
  std::vector<double> taken;
  for (double ms : samples) {
    if (std::isfinite(ms)) taken.push_back(ms);
  }
  return median(taken);
}

Decision decide(const std::vector<std::vector<RaceEntry>>& buckets, size_t favourite, bool forced) {
  if (favourite == 0) return {0, decide_cells(buckets, 0)};
  const Decision changed = {favourite, decide_cells(buckets, favourite)};
  if (forced || !runs_everywhere(buckets, 0)) return changed;
  const Decision kept = {0, decide_cells(buckets, 0)};
  return worth_changing(buckets, kept, changed) ? changed : kept;
}

}  // namespace gatefold
