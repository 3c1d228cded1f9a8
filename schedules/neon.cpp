#include "schedules/cpu_schedule.h"
#include "schedules/neon_space.h"

namespace gatefold {
namespace {

using namespace cpu;
using namespace Halide;

/// Packed by tiles: for each k the rows of the tile as vectors. One load serves several rows.
void hold_rows(FfnStages& s, Projection& p, const HotLoop& loop) {
  const int rows = s.kernel.point.mr, lanes = neon::lanes_of_rows(s.kernel);
  if (lanes == 1) return;
  Func x = p.input.in(p.part);
  x.compute_at(p.part, loop.pair).store_in(MemoryType::Register);
  x.bound_extent(s.mi, rows).vectorize(s.mi, lanes).unroll(s.mi);
}

/// Rows that stand apart in memory: the words of one iteration, of each row, as vectors.
void hold_words(FfnStages& s, Projection& p, const HotLoop& loop) {
  const KernelSpec& k = s.kernel;
  const int words = k.packing.k_step * k.point.unroll, lanes = neon::lanes_of_words(k);
  if (lanes == 1) return;
  Func x = p.input.in(p.part);
  x.compute_at(p.part, loop.iteration).store_in(MemoryType::Register);
  x.bound_extent(s.kq, words).bound_extent(s.mi, k.point.mr);
  x.vectorize(s.kq, lanes).unroll(s.kq).unroll(s.mi);
}

void multiply(FfnStages& s, Projection& p, HotLoop& loop) {
  multiply_by_vectors(s, loop);
  s.kernel.point.xpack == 1 ? hold_rows(s, p, loop) : hold_words(s, p, loop);
}

}  // namespace

void schedule_neon(FfnStages& s) {
  // A whole register of weights at a time: of 16-bit ones the halves are widened one by one.
  const int columns = 16 / info(s.kernel.ffn.dtype).bytes;
  schedule_tiles(s, {columns, multiply, {s.mi, s.kk, s.kq, s.mo}, s.kernel.point.xpack == 1});
}

}  // namespace gatefold
