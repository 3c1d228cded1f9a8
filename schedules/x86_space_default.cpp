#include <algorithm>
#include <cmath>

#include "schedules/space.h"
#include "schedules/x86_space.h"

namespace gatefold {
namespace {

using namespace x86;

/// Cycles per k step of one tile: two fused multiply-adds or two loads a cycle, four cycles from an
/// accumulator's one addition to its next; a third of a cycle for what surrounds the tile (Zen 3,
/// 64 and 128 rows: tiles of 4 rows, which divide them, take 0.92 to 0.97 of the time of 6 rows).
/// To widen 16-bit weights takes half a cycle more, which tall tiles spread over more rows (64
/// rows: bf16 by tiles of 5 rows takes 0.95 of the time of 4, f16 by tiles of 6 rows 0.94).
double tile_cycles(const KernelSpec& k, int mr) {
  const double nv = vectors(k);
  const bool widens = info(k.target).vector_lanes == 8 && k.ffn.dtype != DType::f32;
  return std::max({mr * nv / 2, (mr + nv) / 2, 4.0}) + (widens ? 0.83 : 0.33);
}

int best_row_tile(const KernelSpec& k) {
  const int64_t rows = std::max<int64_t>(1, k.rows.tuned_rows);
  int best = 1;
  double best_cycles = INFINITY;
  for (int mr = 1; mr <= std::min<int64_t>(rows, most_rows(k)); ++mr) {
    const double cycles = double((rows + mr - 1) / mr) * tile_cycles(k, mr);
    if (cycles <= best_cycles) best_cycles = cycles, best = mr;
  }
  return best;
}

/// The longest legal k-block of at most `wanted` lines.
int k_block_up_to(KernelSpec k, int wanted) {
  for (k.point.kb = 128; k.point.kb >= 8; k.point.kb /= 2) {
    if (k.point.kb <= wanted && !k_block_reason(k)) return k.point.kb;
  }
  return 0;
}

/// 512-bit: prefetch makes the first tile of a panel, which fetches it, overlap with the fetch (Zen
/// 5, 8 to 64 rows: 0.92-0.99 of the roofline against 0.66-0.90 without). Tiles of 12 to 14 rows
/// use compute and memory alike; shorter ones need k-blocks, which keep a panel's block in L1.
void default_wide(KernelSpec& k, int64_t rows) {
  k.point.streams = rows <= 2 ? k.packing.group : 2;
  k.point.mr = best_row_tile(k);
  k.point.pf = 96;
  if (rows > k.point.mr && k.point.mr < 12) k.point.kb = k_block_up_to(k, 64);
}

/// 256-bit, measured on Zen 3 at 4096x11008 in f32, one thread, efficiency:
///   1 row: four streams 1.03, two 0.89; with prefetch 0.78
///   4 rows: 2x4 streams with k-blocks 0.86, 4x2 0.73
///   16 rows: k-blocks of 16 lines and prefetch 32 lines ahead 0.90; 64 lines 0.81; without
///     prefetch 0.81
///   128 rows: k-blocks of 64 lines and prefetch one block ahead 0.92; 128 lines without 0.87, with
///     0.85; 192 rows: of 16 lines without 0.38
///   4 rows, 896x4864, of the time of 4 streams: 4x2 with prefetch 0.66 in bf16, 0.94 in f16, since
///     half the bytes leave less time to hide the arithmetic behind
///   64 and 128 rows, 2048x768: k-blocks of 64 lines and prefetch one block ahead 0.88 and 0.90, of
///     128 lines without prefetch and two lines an iteration 0.82 and 0.87
/// Tried and left out: blocks of 4 to 32 panels that share a k-block of x (0.95 to 1.12 of the
/// time); for 16 rows, the prefetch of the next k-block spread over all row tiles instead of issued
/// by the first (0.99 of the time with blocks of 16 lines, 1.04 to 1.06 with longer ones). 16-bit
/// weights widened to f32 once per k-block, for all row tiles, instead of in registers for each:
/// bf16 0.95 of the time at 32 rows, 1.0 at 64 and 128, f16 0.99 to 1.05, both 1.2 and more below
/// 16 rows. Few tiles want short k-blocks, since only the first tile of a block fetches it; many
/// tiles want longer ones, since each tile then reads x in longer runs, but two blocks must fit L1.
void default_narrow(KernelSpec& k, int64_t rows) {
  const bool f32 = k.ffn.dtype == DType::f32;
  k.point.streams = rows <= (f32 ? 4 : 2) ? k.packing.group : 2;
  if (most_rows(k) == 0) k.point.streams = 2;
  k.point.mr = best_row_tile(k);
  const int64_t tiles = (rows + k.point.mr - 1) / k.point.mr;
  if (tiles > 1) k.point.kb = k_block_up_to(k, tiles <= 8 ? 16 : 64);
  if (tiles <= 8 && k.point.streams == 2 && rows > 2) k.point.pf = 32;
  if (tiles > 8) k.point.pf = k.point.kb;  // the next block, while all tiles read this one
}

}  // namespace

SchedulePoint default_point(const KernelSpec& kernel, const CpuProfile& cpu) {
  KernelSpec k = kernel;
  k.point = {};
  const int64_t rows = std::max<int64_t>(1, k.rows.tuned_rows);
  k.point.fusion = Fusion::gated;
  if (info(k.target).vector_lanes == 16) {
    default_wide(k, rows);
  } else {
    default_narrow(k, rows);
  }
  // The hidden rows of one block should stay within half of the last cache.
  const int64_t hidden_row = 4 * (k.ffn.shape.d_ff == Shape::kAny ? 8192 : k.ffn.shape.d_ff);
  const int64_t rows_in_cache = std::max<int64_t>(64, cpu.l3 / 2 / hidden_row);
  if (rows > 2 * rows_in_cache) {
    k.point.fusion = Fusion::blocked;
    k.point.mb = int(std::min<int64_t>(rows_in_cache / k.point.mr, kMostTilesPerBlock));
  }
  return k.point;
}

}  // namespace gatefold
