#include "tuning/known_winners.h"

#include <algorithm>
#include <cmath>

#include "schedules/space.h"
#include "spec/error.h"

namespace gatefold {
namespace {

constexpr size_t kPerBucket = 2;

struct Known {
  double distance;
  Candidate candidate;
};

double doublings(int64_t a, int64_t b) {
  return std::fabs(std::log2(static_cast<double>(a) / static_cast<double>(b)));
}

/// In doublings; the row count decides most, threads least.
double distance(const SearchSpace& space, size_t bucket, int threads, const WorkloadKey& key,
                const Winner& winner) {
  const Shape& here = space.ffn.shape;
  const Shape& there = key.ffn.shape;
  return 2 * doublings(space.buckets[bucket].tuned_rows, winner.cell.bucket.tuned_rows) +
         doublings(here.d_model, there.d_model) + doublings(here.d_ff, there.d_ff) +
         doublings(threads, winner.threads) / 2;
}

bool comparable(const SearchSpace& space, const WorkloadKey& key) {
  return key.current() && key.target == space.target && key.ffn.shape.fixed() &&
         key.ffn.dtypes() == space.ffn.dtypes() && key.ffn.variant.gated == space.ffn.variant.gated;
}

/// The padding of k may differ: it follows from the sizes.
bool same_panels(const Packing& a, const Packing& b) {
  return a.panel == b.panel && a.pair == b.pair && a.k_step == b.k_step && a.group == b.group;
}

void add_set(const SearchSpace& space, size_t bucket, int threads, const WinnerSet& set,
             std::vector<Known>& known) {
  const Packing packing = parse_packing(set.packing);
  for (size_t p = 0; p < space.packings.size(); ++p) {
    if (!space.searched(p) || !same_panels(space.packings[p], packing)) continue;
    for (const Winner& winner : set.winners) {
      const SchedulePoint point = parse_point(winner.cell.point);
      if (why_illegal(space.kernel(p, bucket, point))) continue;
      known.push_back(
          {distance(space, bucket, threads, set.key, winner), {p, bucket, point, "known"}});
    }
  }
}

}  // namespace

std::vector<Candidate> nearest_known(const SearchSpace& space, const std::vector<WinnerSet>& sets,
                                     int threads) {
  std::vector<Candidate> chosen;
  for (size_t bucket = 0; bucket < space.buckets.size(); ++bucket) {
    std::vector<Known> known;
    for (const WinnerSet& set : sets) {
      if (comparable(space, set.key)) add_set(space, bucket, threads, set, known);
    }
    std::stable_sort(known.begin(), known.end(),
                     [](const Known& a, const Known& b) { return a.distance < b.distance; });
    size_t taken = 0;
    for (const Known& k : known) {
      const bool twice = std::any_of(chosen.begin(), chosen.end(), [&](const Candidate& c) {
        return c.same_kernel(k.candidate);
      });
      if (twice) continue;
      chosen.push_back(k.candidate);
      if (++taken == kPerBucket) break;
    }
  }
  return chosen;
}

}  // namespace gatefold
