#include <algorithm>

#include "schedules/cpu_space.h"

namespace gatefold {
namespace {

using namespace cpu;

/// Registers beside the accumulators: one row of weights and one broadcast. Widened bf16 also holds
/// the packed words and the mask that parts them; with 32 registers the compiler keeps more at hand
/// for both widened types (13 rows spill, 12 do not).
int held_registers(const KernelSpec& k) {
  const bool many = info(k.target).vector_registers == 32;
  switch (k.ffn.dtype) {
    case DType::f32:
      return vectors(k) + 1;
    case DType::bf16:
      if (uses_bf16_dot(k.ffn, k.target)) return vectors(k) + 1;
      return 2 * vectors(k) + (many ? 4 : 2);
    case DType::f16:
      return vectors(k) + (many ? 6 : 1);
  }
  return 0;
}

int rows_in_registers(const KernelSpec& k) {
  const int registers = info(k.target).vector_registers;
  const int most = std::max(0, registers - held_registers(k)) / vectors(k);
  // One row uses each weight once, straight from memory, unless it must be widened before.
  const bool one_row = !widens(k) && vectors(k) < registers;
  return std::max(most, one_row ? 1 : 0);
}

/// Whether padding its columns to a multiple makes a block at most 1 % larger.
bool fits(const Shape& shape, int64_t multiple) {
  const auto one_fits = [&](int64_t columns) {
    const int64_t padded = (columns + multiple - 1) / multiple * multiple;
    return columns != Shape::kAny && (padded - columns) * 100 <= columns;
  };
  return one_fits(shape.d_model) && one_fits(shape.d_ff);
}

/// Panels of one vector leave the tallest tiles; four streams draw the most bandwidth from a core
/// with 256-bit loads (Zen 3, 1 row: 18.1 GB/s against 15.7 with two), and with 512-bit loads at 4
/// rows (Zen 4: 0.90 to 0.94 of the time of two; at 1 and 2 rows 0.99 to 1.05).
std::vector<Panels> panels(const FfnSpec& ffn, Target target) {
  if (info(target).vector_lanes == 16 && fits(ffn.shape, 64)) return {{16, 4}, {16, 2}};
  if (info(target).vector_lanes == 16) return {{16, 2}, {16, 4}};
  return {{8, 4}, {8, 2}, {16, 4}};
}

/// Cycles per k step of one tile: two fused multiply-adds or two loads a cycle, four cycles from an
/// accumulator's one addition to its next; a third of a cycle for what surrounds the tile (Zen 3,
/// 64 and 128 rows: tiles of 4 rows, which divide them, take 0.92 to 0.97 of the time of 6 rows).
/// To widen 16-bit weights takes half a cycle more, which tall tiles spread over more rows (64
/// rows: bf16 by tiles of 5 rows takes 0.95 of the time of 4, f16 by tiles of 6 rows 0.94).
double tile_cycles(const KernelSpec& k, int mr) {
  const double nv = vectors(k);
  const bool widening = info(k.target).vector_lanes == 8 && k.ffn.dtype != DType::f32;
  return std::max({mr * nv / 2, (mr + nv) / 2, 4.0}) + (widening ? 0.83 : 0.33);
}

/// Zen 4 multiplies 512 bits in two halves and so reads a line in twice the time of others. 8 to
/// 128 rows, 2048x768 and 4096x11008: prefetch of 32 lines ahead takes 0.93 to 0.98 of the time of
/// 96 (Zen 5 lost a quarter with 32). Up to 32 rows, which nearly draw the memory's bandwidth, 64
/// lines ahead into the L2 cache do better: 0.89 to 0.96 of the time at 8 rows, 0.94 to 0.98 at 16
/// and 32; from 64 rows 1.00.
void prefetch_of_zen4(SchedulePoint& point, int64_t rows) {
  point.pf = rows <= 32 ? 64 : 32;
  point.pl = rows <= 32 ? 2 : 1;
}

/// 512-bit: prefetch makes the first tile of a panel, which fetches it, overlap with the fetch (Zen
/// 5, 8 to 64 rows: 0.92-0.99 of the roofline against 0.66-0.90 without). Up to 4 rows wait for
/// memory alone, and prefetches are in the way (Zen 4, without: 0.85 to 0.92 of the time). Tiles of
/// 12 to 14 rows use compute and memory alike; shorter ones need k-blocks, which keep a panel's
/// block in L1, but not on Zen 4 (16 rows 1.04 of the time, 32 rows 1.04).
/// To a single tile k-blocks cost nothing, and sums of fewer products are more exact (MiniLM's
/// fifth layer, f32, 7 rows: 1e-6 from f64 instead of 3e-5).
void default_wide(KernelSpec& k, const CpuProfile& cpu) {
  const int64_t rows = tuned_rows(k);
  const bool zen4 = cpu.core == "zen4";
  k.point.streams = rows == 3 || rows == 4 ? k.packing.group : 2;
  k.point.mr = best_row_tile(k);
  if (rows > 4) k.point.pf = 96;
  if (rows > 4 && zen4) prefetch_of_zen4(k.point, rows);
  const int64_t tiles = row_tiles(k);
  if (tiles == 1) {
    k.point.kb = k_block_up_to(k, 128);
  } else if (k.point.mr < 12 && !zen4) {
    k.point.kb = k_block_up_to(k, 64);
  }
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
///   192 and 256 rows, 2048x2816: without k-blocks 0.93 and 0.90, by blocks of 64 lines 0.86 and
///     0.74; 128 rows: 0.89 and 0.90
///   128 rows while a neighbour on the same core works: 6x2 without k-blocks 0.79 (896x4864) and
///     0.87 (4096x11008), 4x2 with 0.66 and 0.73; alone 0.87 and 0.89 (896x4864). 64 rows: 0.74 and
///     0.70, alone 0.83 and 0.88
/// Tried and left out: blocks of 4 to 32 panels that share a k-block of x (0.95 to 1.12 of the
/// time); for 16 rows, the prefetch of the next k-block spread over all row tiles instead of issued
/// by the first (0.99 of the time with blocks of 16 lines, 1.04 to 1.06 with longer ones). 16-bit
/// weights widened to f32 once per k-block, for all row tiles, instead of in registers for each:
/// bf16 0.95 of the time at 32 rows, 1.0 at 64 and 128, f16 0.99 to 1.05, both 1.2 and more below
/// 16 rows. Few tiles want short k-blocks, since only the first tile of a block fetches it; many
/// tiles want longer ones, since each tile then reads x in longer runs, but two blocks must fit L1.
void default_narrow(KernelSpec& k) {
  const int64_t rows = tuned_rows(k);
  const bool f32 = k.ffn.dtype == DType::f32;
  k.point.streams = rows <= (f32 ? 4 : 2) ? k.packing.group : 2;
  if (most_rows(k) == 0) k.point.streams = 2;
  if (rows > kRowsInL2) {
    // No k-blocks: whole sums in registers cost less than sums in L1 once x is not read from L2 any
    // more, and the tallest tile reads it least often.
    k.point.mr = std::max(1, most_rows(k));
    return;
  }
  k.point.mr = best_row_tile(k);
  const int64_t tiles = row_tiles(k);
  if (tiles > 1) k.point.kb = k_block_up_to(k, tiles <= 8 ? 16 : 64);
  if (tiles <= 8 && k.point.streams == 2 && rows > 2) k.point.pf = 32;
  if (tiles > 8) k.point.pf = k.point.kb;  // the next block, while all tiles read this one
}

/// 256-bit, 512 rows on one thread: blocks of 256 rows, whose x is read from the last cache again
/// and again while the weights go by once, take 0.73 of the time of all rows at once by k-blocks of
/// 64 lines at 2048x2816, 0.80 at 896x4864 and 0.67 at 4096x11008; blocks of 64 rows 0.82 and 0.69;
/// 1024 rows by blocks of 512 as by 256.
int64_t most_block_rows(Target target) {
  return info(target).vector_lanes == 16 ? kMostRowsOfBlock : 256;
}

/// 256-bit: other prefetches than Halide's own made no difference on Zen 3.
std::vector<int> prefetch_levels(Target target) {
  return info(target).vector_lanes == 16 ? std::vector<int>{1, 2} : std::vector<int>{1};
}

void default_tile(KernelSpec& k, const CpuProfile& cpu) {
  if (info(k.target).vector_lanes == 16) return default_wide(k, cpu);
  default_narrow(k);
}

}  // namespace

const ArchSpace& x86_space() {
  // Pairs of bf16 are what the dot instruction multiplies, and what one word is widened to.
  static constexpr ArchSpace space = {
      2, rows_in_registers, panels, tile_cycles, default_tile, most_block_rows, prefetch_levels};
  return space;
}

}  // namespace gatefold
