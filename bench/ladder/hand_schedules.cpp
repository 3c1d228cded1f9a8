#include "bench/ladder/hand_schedules.h"

#include <vector>

#include "bench/ladder/autoscheduler.h"
#include "schedules/ffn_stages.h"
#include "spec/error.h"

namespace gatefold {
namespace {

using namespace Halide;

std::vector<Projection*> projections(FfnStages& s) {
  std::vector<Projection*> all;
  for (Projection& p : s.first) all.push_back(&p);
  all.push_back(&s.down);
  return all;
}

/// Every stage in memory, one after the other, with the loops that Halide gives it: each output is
/// a sum over k, one number at a time.
void schedule_naive(FfnStages& s) {
  s.x_packed.compute_root();
  s.hidden.compute_root();
  for (Projection* p : projections(s)) {
    p->part.compute_root();
    p->out.compute_root();
  }
}

/// A flat stage by panels, a vector of columns at a time. Never past the edge, where what the next
/// stage reads ends.
void flat_vectors(const FfnStages& s, Func f, int lanes) {
  const TailStrategy guarded = TailStrategy::GuardWithIf;
  f.split(s.n, s.no, s.ni, s.kernel.packing.panel, guarded).vectorize(s.ni, lanes, guarded);
}

/// The same stages; the loop over columns is innermost, where they stand side by side in memory.
void schedule_vectors(FfnStages& s) {
  schedule_naive(s);
  const int lanes = info(s.kernel.target).vector_lanes;
  for (Projection* p : projections(s)) {
    p->part.bound_extent(s.ni, s.kernel.packing.panel).vectorize(s.ni, lanes);
    p->part.update()
        .reorder({s.ni, p->k.x, p->k.y, p->k.z, s.v, s.mi, s.mo, s.no, s.kv})
        .vectorize(s.ni, lanes);
    flat_vectors(s, p->out, lanes);
  }
  flat_vectors(s, s.hidden, lanes);
  flat_vectors(s, s.y, lanes);
}

}  // namespace

Scheduler ladder_schedule(const std::string& name, int threads) {
  if (name == "naive") return schedule_naive;
  if (name == "vectors") return schedule_vectors;
  if (name == "point") return schedule;
  if (name == "adams2019")
    return [threads](FfnStages& stages) { schedule_adams2019(stages, threads); };
  fail("schedule '" + name + "', wanted naive, vectors, point or adams2019");
}

}  // namespace gatefold
