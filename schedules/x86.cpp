#include "schedules/cpu_schedule.h"

namespace gatefold {
namespace {

using namespace cpu;

/// Where bf16 stays bf16, the dot instruction multiplies both k of a word at once.
void multiply(FfnStages& s, Projection&, HotLoop& loop) {
  if (!uses_bf16_dot(s.kernel.ffn, s.kernel.target)) return multiply_by_vectors(s, loop);
  loop.update.reorder(
      {loop.pair, loop.vector, s.ni, s.v, s.mi, loop.words, loop.iteration, s.mo, s.no, s.kv});
  loop.update.atomic().vectorize(loop.pair);
}

}  // namespace

void schedule_x86(FfnStages& s) {
  // What the dot instruction broadcasts is both k of one row, and rows are memory operands.
  schedule_tiles(s,
                 {info(s.kernel.target).vector_lanes, multiply, {s.kk, s.mi, s.kq, s.mo}, false});
}

}  // namespace gatefold
