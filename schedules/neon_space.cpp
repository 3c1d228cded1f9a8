#include "schedules/neon_space.h"

#include <algorithm>

#include "schedules/cpu_space.h"

namespace gatefold {
namespace {

using namespace cpu;

/// The widest vector of at most `lanes` lanes that `count` values fill without a rest.
int lanes_that_divide(int count, int lanes) {
  while (count % lanes != 0) lanes /= 2;
  return lanes;
}

/// Beside the accumulators: one k of weights, the rows of x for it, and what the compiler loads
/// ahead (f32 by tiles of 2 vectors and 13 rows spills, 12 do not; of 4: 7 and 6; of 8: 3 and 2;
/// widened 13 and 12, 6 and 5, 3 and 2, sums in f16 as widened; the four k of a line of panels of
/// one vector: 12 rows are most). Rows of x that stand apart take a pointer each, too.
int rows_in_registers(const KernelSpec& k) {
  constexpr int kTallestOfNarrowPanels = 12;
  const int nv = vectors(k), held = nv + (k.ffn.dtype == DType::f32 ? 4 : 5);
  const int most_accumulators = k.point.xpack == 1 ? 24 : 16;
  const int rows =
      std::min(most_accumulators, std::max(0, info(k.target).vector_registers - held)) / nv;
  return k.packing.panel == 4 ? std::min(rows, kTallestOfNarrowPanels) : rows;
}

/// Gate and up by panels of two vectors: tiles of 6 rows by 4 vectors. f32 panels of one vector
/// make the tiles that multiply most, of 12 rows by gate and up (0.89 of the instructions; 6 rows
/// by twice the columns 0.85), but leave few rows few accumulators.
std::vector<Panels> panels(const FfnSpec& ffn, Target) {
  if (ffn.dtype == DType::f32) return {{8, 4}, {8, 2}, {16, 2}, {4, 2}};
  return {{8, 4}, {8, 2}, {16, 2}};
}

/// Cycles per k step of one tile on a core with two vector units and two loads a cycle that need
/// four cycles for a multiply-add (Cortex-A76, Neoverse N1), by counting: nothing is measured.
double tile_cycles(const KernelSpec& k, int mr) {
  const double nv = vectors(k);
  const double widening = widens(k) ? nv : 0;
  return std::max({(mr * nv + widening) / 2, (mr + nv) / 2, 4.0}) + 1;
}

/// One or two rows need four streams to have eight accumulators. Beyond one tile the k-blocks and
/// prefetch distances are those measured for tiles as tall on Zen 3 (schedules/x86_space.cpp),
/// whose L1 is no larger than that of these cores: the rest is for a tuner on the device.
void default_tile(KernelSpec& k, const CpuProfile&) {
  const int64_t rows = tuned_rows(k);
  k.point.streams = rows <= 2 ? k.packing.group : 2;
  if (most_rows(k) == 0) k.point.streams = 2;
  k.point.mr = best_row_tile(k);
  const int64_t tiles = row_tiles(k);
  if (tiles > 1) k.point.kb = k_block_up_to(k, tiles <= 8 ? 16 : 64);
  if (tiles > 1) k.point.pf = tiles <= 8 ? 32 : k.point.kb;
}

int64_t most_block_rows(Target) { return kMostRowsOfBlock; }

std::vector<int> prefetch_levels(Target) { return {1}; }

}  // namespace

int neon::lanes_of_rows(const KernelSpec& k) { return lanes_that_divide(k.point.mr, sum_lanes(k)); }

int neon::lanes_of_words(const KernelSpec& k) {
  constexpr int kMostHeld = 28;  // registers: accumulators, words and one k of weights
  const int words = k.packing.k_step * k.point.unroll,
            lanes = lanes_that_divide(words, sum_lanes(k));
  const int nv = vectors(k), held = k.point.mr * (nv + words / lanes) + nv;
  return held > kMostHeld ? 1 : lanes;
}

const ArchSpace& neon_space() {
  // bf16 stands by itself: one instruction widens four.
  static constexpr ArchSpace space = {
      1, rows_in_registers, panels, tile_cycles, default_tile, most_block_rows, prefetch_levels};
  return space;
}

}  // namespace gatefold
