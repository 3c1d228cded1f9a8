#include "tuning/final_race.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "spec/error.h"
#include "tuning/race_line_up.h"
#include "tuning/race_record.h"

namespace gatefold {
namespace {

constexpr double kRoundsForChecking = 2;
constexpr double kSecondsWithoutBudget = 20;
constexpr double kRoofSeconds = 1.5;
constexpr double kUsualRacers = 5;
constexpr double kOtherSeconds = 4;  // compiling the unfused control, the roof

using Entries = std::vector<RaceEntry>;
using Libraries = std::vector<std::string>;

/// Time of one round, as far as it is known.
double round_ms(const TrialBook& book, const Entries& entries) {
  double known = 0;
  size_t count = 0;
  for (const RaceEntry& e : entries) {
    const double ms = book.screened_ms(e.candidate);
    if (std::isfinite(ms)) known += std::max(1.0, ms), ++count;
  }
  const double mean = count ? known / static_cast<double>(count) : 1;
  return mean * static_cast<double>(entries.size());
}

/// Compiles what is not compiled yet, all buckets at once; those that fail leave the race.
std::vector<Libraries> build_all(TrialRunner& runner, std::vector<RacedBucket>& buckets) {
  std::vector<Candidate> all;
  for (const RacedBucket& bucket : buckets) {
    for (const RaceEntry& e : bucket.entries) all.push_back(e.candidate);
  }
  const std::vector<BuiltCandidate> built = runner.build(all);
  std::vector<Libraries> libraries(buckets.size());
  size_t next = 0;
  for (size_t b = 0; b < buckets.size(); ++b) {
    Entries kept;
    for (const RaceEntry& e : buckets[b].entries) {
      const BuiltCandidate& candidate = built[next++];
      if (candidate.kind != TrialKind::ok) continue;
      kept.push_back(e);
      libraries[b].push_back(candidate.library.string());
    }
    buckets[b].entries = kept;
  }
  return libraries;
}

/// Rounds that fit the time that is left, after two runs of everyone for checking.
double affordable_rounds(const TrialRunner& runner, const std::vector<RacedBucket>& buckets,
                         std::optional<double> end_s) {
  double all_ms = 0;
  for (const RacedBucket& bucket : buckets) all_ms += round_ms(runner.book(), bucket.entries);
  const double left_s = end_s ? *end_s - runner.elapsed_s() - kRoofSeconds : kSecondsWithoutBudget;
  const double rounds = left_s * 1000 / all_ms - kRoundsForChecking;
  return std::clamp(rounds, 1.0 * kFewestRaceRounds, 1.0 * kMostRaceRounds);
}

/// Samples into the entries; those that failed leave the race. Noisy ones stay: their interval
/// says it.
void take_samples(RacedBucket& bucket) {
  Entries kept;
  for (size_t i = 0; i < bucket.reply.candidates.size(); ++i) {
    const TrialResult& r = bucket.reply.candidates[i];
    RaceEntry& entry = bucket.entries.at(i);
    if (r.kind != TrialKind::ok && r.kind != TrialKind::noisy) continue;
    entry.samples = r.samples;
    if (std::isfinite(entry.median_ms())) kept.push_back(entry);
  }
  bucket.entries = kept;
}

std::string nothing_runs(int64_t rows, const MeasureReply& reply) {
  std::string text = fmt::format("tune: no schedule runs for {} rows", rows);
  if (reply.candidates.empty()) return text + ": none compiles";
  const TrialResult& first = reply.candidates.front();
  return fmt::format("{}; the default: {}: {}", text, name(first.kind), first.message);
}

/// What the slowest known of them took when it was tried.
double slowest_ms(const TrialBook& book, const Entries& entries) {
  double slowest = kUnknown;
  for (const RaceEntry& e : entries) slowest = std::fmax(slowest, book.screened_ms(e.candidate));
  return slowest;
}

void race_bucket(TrialRunner& runner, RacedBucket& bucket, size_t number,
                 const Libraries& libraries, double rounds) {
  MeasureRequest request = runner.request_for(number);
  request.libraries = libraries;
  request.min_rounds = kFewestRaceRounds;
  request.max_rounds = static_cast<int>(rounds);
  request.budget_ms = rounds * round_ms(runner.book(), bucket.entries);
  runner.limit_time(number, slowest_ms(runner.book(), bucket.entries), libraries.size());
  runner.report(fmt::format("final race, {} rows", request.rows));
  if (!libraries.empty()) bucket.reply = runner.measure(request);
  if (runner.stopped()) return;
  take_samples(bucket);
  if (bucket.entries.empty()) fail(nothing_runs(request.rows, bucket.reply));
}

/// Packings of which an entry is left in every bucket can be chosen.
bool runs_everywhere(const std::vector<RacedBucket>& buckets, size_t packing) {
  return std::all_of(buckets.begin(), buckets.end(), [&](const RacedBucket& bucket) {
    return std::any_of(bucket.entries.begin(), bucket.entries.end(),
                       [&](const RaceEntry& e) { return e.candidate.packing == packing; });
  });
}

}  // namespace

double least_race_seconds(const TrialBook& book, const SearchSpace& space) {
  double round = 0;
  for (size_t b = 0; b < space.buckets.size(); ++b) {
    const double ms = book.screened_ms(book.default_of(space.only_packing.value_or(0), b));
    if (std::isfinite(ms)) round += kUsualRacers * ms;
  }
  return kOtherSeconds + (kFewestRaceRounds + kRoundsForChecking) * round / 1000;
}

std::optional<RaceRecord> run_final_race(TrialRunner& runner, const SearchSpace& space,
                                         std::optional<double> end_s) {
  size_t favourite = favourite_packing(runner.book(), space);
  std::vector<RacedBucket> buckets;
  for (size_t b = 0; b < space.buckets.size(); ++b) {
    buckets.push_back({line_up(runner.book(), space, b, favourite), {}});
  }
  const std::vector<Libraries> libraries = build_all(runner, buckets);
  const double rounds = affordable_rounds(runner, buckets, end_s);
  for (size_t b = 0; b < buckets.size() && !runner.stopped(); ++b) {
    race_bucket(runner, buckets[b], b, libraries[b], rounds);
  }
  runner.measure_roof_again();
  if (runner.stopped()) return std::nullopt;
  const bool forced = space.only_packing.has_value();
  if (!forced && !runs_everywhere(buckets, favourite)) favourite = 0;
  std::vector<Entries> entries;
  for (const RacedBucket& bucket : buckets) entries.push_back(bucket.entries);
  const Decision decision = decide(entries, favourite, forced);
  RaceRecord race = race_record(space, buckets, decision, runner.roof());
  race.trials = runner.book().size();
  return race;
}

}  // namespace gatefold
