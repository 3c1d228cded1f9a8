#include "tuning/race_line_up.h"

#include <algorithm>

#include "tuning/standings.h"

namespace gatefold {
namespace {

constexpr size_t kChallengers = 3;
constexpr double kHopeless = 1.1;  // screened this far behind the best: not raced
constexpr double kPackingMargin = 0.98;

void add(std::vector<RaceEntry>& entries, const RaceEntry& entry) {
  for (RaceEntry& known : entries) {
    if (!known.candidate.same_kernel(entry.candidate)) continue;
    known.is_default |= entry.is_default;
    known.is_unfused_control |= entry.is_unfused_control;
    return;
  }
  entries.push_back(entry);
}

bool entered(const std::vector<RaceEntry>& entries, const Candidate& c) {
  return std::any_of(entries.begin(), entries.end(),
                     [&](const RaceEntry& e) { return e.candidate.same_kernel(c); });
}

/// Whether another entry of its packing has its code: it would race against itself.
bool has_twin(const std::vector<RaceEntry>& entries, const TrialBook& book, const Candidate& c) {
  const std::string& code = book.find(c)->code_hash;
  return !code.empty() && std::any_of(entries.begin(), entries.end(), [&](const RaceEntry& e) {
    const TrialRecord* trial = book.find(e.candidate);
    return e.candidate.packing == c.packing && trial && trial->code_hash == code;
  });
}

void add_best(std::vector<RaceEntry>& entries, const TrialBook& book, size_t packing, size_t bucket,
              size_t count) {
  const std::vector<Candidate> ranked = book.ranked(packing, bucket);
  size_t taken = 0;
  for (size_t i = 0; i < ranked.size() && taken < count; ++i) {
    if (i > 0 && book.screened_ms(ranked[i]) > kHopeless * book.screened_ms(ranked[0])) return;
    if (!entered(entries, ranked[i]) && has_twin(entries, book, ranked[i])) continue;
    add(entries, {ranked[i], false, false, {}});
    ++taken;
  }
}

void add_unfused(std::vector<RaceEntry>& entries, const SearchSpace& space, size_t packing,
                 size_t bucket) {
  const std::optional<SchedulePoint> point = space.unfused_point(packing, bucket);
  if (point) add(entries, {{packing, bucket, *point, "unfused"}, false, true, {}});
}

}  // namespace

size_t favourite_packing(const TrialBook& book, const SearchSpace& space) {
  if (space.only_packing) return *space.only_packing;
  Standings standings(space);
  for (size_t p = 0; p < space.packings.size(); ++p) {
    for (size_t b = 0; b < space.buckets.size(); ++b) {
      const std::vector<Candidate> ranked = book.ranked(p, b);
      if (!ranked.empty()) standings.tell(ranked.front(), book.screened_ms(ranked.front()));
    }
  }
  const size_t best = standings.best_packing();
  return standings.objective(best) < kPackingMargin * standings.objective(0) ? best : 0;
}

std::vector<RaceEntry> line_up(const TrialBook& book, const SearchSpace& space, size_t bucket,
                               size_t favourite) {
  std::vector<RaceEntry> entries;
  add(entries, {book.default_of(0, bucket), true, false, {}});
  add_unfused(entries, space, 0, bucket);
  add_best(entries, book, 0, bucket, favourite == 0 ? kChallengers : 1);
  if (favourite == 0) return entries;
  add_best(entries, book, favourite, bucket, kChallengers - 1);
  add_unfused(entries, space, favourite, bucket);
  return entries;
}

}  // namespace gatefold
