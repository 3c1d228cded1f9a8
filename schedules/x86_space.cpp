#include <algorithm>
#include <cmath>

#include "schedules/space.h"

namespace gatefold {
namespace {

constexpr int kMostTilesPerBlock = 4096;

std::string number(int64_t value) { return std::to_string(value); }

/// A tunable or packing field outside its bound: "mr=9, wanted at most 6 (registers)".
std::string out_of_bound(const char* name, int64_t value, const std::string& wanted) {
  return std::string(name) + "=" + number(value) + ", wanted " + wanted;
}

bool gated_together(const KernelSpec& k) {
  return k.ffn.variant.gated && k.point.fusion != Fusion::unfused;
}

int vectors(const KernelSpec& k) {
  return k.point.streams * k.packing.panel / info(k.target).vector_lanes;
}

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

/// Rows of the largest tile: what it holds must fit the registers, or the compiler spills in the
/// hot loop (measured at a third of the speed). 0: not even one row fits.
int most_rows(const KernelSpec& k) {
  const int registers = info(k.target).vector_registers;
  const int most = std::max(0, registers - held_registers(k)) / vectors(k);
  // One row uses each weight once, straight from memory, unless it must be widened before.
  const bool widened = k.ffn.dtype != DType::f32 && !uses_bf16_dot(k.ffn, k.target);
  const bool one_row = !widened && vectors(k) < registers;
  return std::max(most, one_row ? 1 : 0);
}

using Reason = std::optional<std::string>;

/// bf16 stands in pairs: what the dot instruction multiplies, and two that one word is widened to.
int pair_of(DType dtype) { return dtype == DType::bf16 ? 2 : 1; }

/// Steps of k in one 64-byte line.
int k_step_of(DType dtype, int panel) { return 64 / (panel * pair_of(dtype) * info(dtype).bytes); }

/// The down projection reads as many hidden columns as its k is padded to; gate and up must have
/// panels for all of them.
bool panels_cover_hidden(const FfnSpec& ffn, const Packing& p) {
  const int64_t line = int64_t{p.pair} * p.k_step;
  if (ffn.shape.d_ff == Shape::kAny) return p.group * p.panel % (p.k_lines * line) == 0;
  return packed_lines(p, ffn.shape.d_ff) * line <= packed_panels(p, ffn.shape.d_ff) * p.panel;
}

Reason packing_reason(const KernelSpec& k) {
  const Packing& p = k.packing;
  const int lanes = info(k.target).vector_lanes;
  const int pair = pair_of(k.ffn.dtype);
  if (p.pair != pair) return out_of_bound("pair", p.pair, number(pair) + " for this dtype");
  if (p.panel != 8 && p.panel != 16) return out_of_bound("panel", p.panel, "8 or 16");
  if (p.panel % lanes != 0) {
    return out_of_bound("panel", p.panel, "a multiple of " + number(lanes) + " lanes");
  }
  const int k_step = k_step_of(k.ffn.dtype, p.panel);
  if (p.k_step != k_step)
    return out_of_bound("k_step", p.k_step, number(k_step) + " (one 64-byte line)");
  if (p.k_lines < 1 || p.k_lines > 64) return out_of_bound("k_lines", p.k_lines, "1 to 64");
  if (p.group != 2 && p.group != 4) return out_of_bound("group", p.group, "2 or 4");
  if (!panels_cover_hidden(k.ffn, p)) {
    return out_of_bound("k_lines", p.k_lines, "a padding of d_ff that its panels cover");
  }
  return {};
}

Reason streams_reason(const KernelSpec& k) {
  const int s = k.point.streams;
  if (s < 1 || k.packing.group % s != 0) {
    return out_of_bound("streams", s, "a divisor of group=" + number(k.packing.group));
  }
  if (gated_together(k) && s % 2 != 0) {
    return out_of_bound("streams", s, "an even number, for gate and up");
  }
  return {};
}

Reason rows_reason(const KernelSpec& k) {
  const int most = most_rows(k);
  if (most == 0) return out_of_bound("streams", k.point.streams, "fewer (registers)");
  if (k.point.mr < 1 || k.point.mr > most) {
    return out_of_bound("mr", k.point.mr, "1 to " + number(most) + " (registers)");
  }
  return {};
}

Reason k_block_reason(const KernelSpec& k) {
  const int kb = k.point.kb;
  if (kb == 0) return {};
  for (int64_t length : {k.ffn.shape.d_model, k.ffn.shape.d_ff}) {
    const int64_t lines =
        length == Shape::kAny ? k.packing.k_lines : packed_lines(k.packing, length);
    if (kb < 0 || lines % kb != 0) {
      return out_of_bound("kb", kb, "a divisor of the " + number(lines) + " packed lines");
    }
  }
  return {};
}

Reason unroll_reason(const KernelSpec& k) {
  const int u = k.point.unroll;
  if (u < 1 || u > 8) return out_of_bound("unroll", u, "1 to 8");
  // A prefetch covers one line: Halide 21 steps a wider box by elements instead of bytes.
  if (u > 1 && k.point.pf > 0) return out_of_bound("unroll", u, "1 with prefetch");
  const int64_t lines = k.point.kb > 0 ? k.point.kb : k.packing.k_lines;
  if (lines % u != 0) return out_of_bound("unroll", u, "a divisor of " + number(lines) + " lines");
  return {};
}

/// blocked keeps a block's hidden rows in cache, streamed the partial results of its slices.
bool works_by_row_blocks(Fusion fusion) {
  return fusion == Fusion::blocked || fusion == Fusion::streamed;
}

Reason blocking_reason(const KernelSpec& k) {
  const bool blocked = works_by_row_blocks(k.point.fusion);
  if (blocked && (k.point.mb < 1 || k.point.mb > kMostTilesPerBlock)) {
    return out_of_bound(
        "mb", k.point.mb,
        "1 to " + number(kMostTilesPerBlock) + " with fusion=" + name(k.point.fusion));
  }
  if (!blocked && k.point.mb != 0)
    return out_of_bound("mb", k.point.mb, "0 unless fusion=blocked or streamed");
  if (k.point.pf < 0 || k.point.pf > 1024) return out_of_bound("pf", k.point.pf, "0 to 1024");
  if (k.point.xpack < 0 || k.point.xpack > 1) return out_of_bound("xpack", k.point.xpack, "0 or 1");
  return {};
}

/// A slice of d_ff is whole lines of the down projection and whole panel groups of gate and up.
Reason slices_reason(const KernelSpec& k) {
  const int slices = k.point.slices;
  if (k.point.fusion != Fusion::streamed) {
    if (slices != 0) return out_of_bound("slices", slices, "0 unless fusion=streamed");
    return {};
  }
  if (k.ffn.shape.d_ff == Shape::kAny) return "fusion=streamed, wanted another for any d_ff";
  const int64_t lines = packed_lines(k.packing, k.ffn.shape.d_ff);
  if (slices < 2 || lines % slices != 0) {
    return out_of_bound("slices", slices,
                        "a divisor from 2 of the " + number(lines) + " packed lines");
  }
  const int64_t columns = lines / slices * k.packing.k_step * k.packing.pair;
  const int matrices = k.ffn.variant.gated ? 2 : 1;
  const int64_t group = int64_t{k.packing.panel} * k.point.streams / matrices;
  if (columns % group != 0) {
    return out_of_bound("slices", slices,
                        "slices of whole groups of " + number(group) + " columns");
  }
  if (lines / slices % k.point.unroll != 0)
    return out_of_bound("unroll", k.point.unroll, "a divisor of the slice's lines");
  return {};
}

/// 32-bit indices: no packed matrix may have 2^31 elements or more, padding included. A size that
/// is left to the call counts as 1 here.
Reason size_reason(const KernelSpec& k) {
  constexpr int64_t kLimit = int64_t{1} << 31;
  const int64_t d_model = std::max<int64_t>(1, k.ffn.shape.d_model);
  const int64_t d_ff = std::max<int64_t>(1, k.ffn.shape.d_ff);
  const int64_t packed = std::max(packed_elements(k.packing, d_ff, d_model),
                                  packed_elements(k.packing, d_model, d_ff));
  if (packed < kLimit) return {};
  const std::string wanted = ", wanted less than " + number(kLimit);
  if (d_model * d_ff >= kLimit) return "d_model * d_ff = " + number(d_model * d_ff) + wanted;
  return "d_model * d_ff = " + number(packed) + " with its padding" + wanted;
}

/// Ascending, without repeats.
std::vector<int> distinct(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<int> row_tiles(const KernelSpec& k) {
  std::vector<int> rows;
  KernelSpec trial = k;
  trial.point.streams = 1;
  const int64_t most = std::min<int64_t>(most_rows(trial), std::max<int64_t>(1, k.rows.tuned_rows));
  for (int mr = 1; mr <= most; ++mr) rows.push_back(mr);
  return rows;
}

/// Whether a row block makes sense: several of them for blocked fusion, and for streamed one that
/// just holds the rows, so that all slices are one parallel region.
bool row_block_fits(const KernelSpec& k) {
  const int64_t mb = k.point.mb, rows = k.rows.tuned_rows;
  if (k.point.fusion == Fusion::streamed)
    return mb * k.point.mr >= rows && (mb == 1 || mb / 2 * k.point.mr < rows);
  return mb == 0 || (mb >= 4 && mb < rows);
}

/// Numbers of slices that leave a slice large enough to be worth a task of its own, each about
/// twice the one before. Partial results are written and read once more for every slice, so
/// streaming is for few rows.
std::vector<int> slice_counts(const KernelSpec& k) {
  constexpr int64_t kMostRows = 64, kLeastLines = 16;
  std::vector<int> counts = {0};
  if (k.ffn.shape.d_ff == Shape::kAny || k.rows.tuned_rows > kMostRows) return counts;
  const int64_t lines = packed_lines(k.packing, k.ffn.shape.d_ff);
  for (int64_t n = 2; n <= 128 && lines / n >= kLeastLines; ++n) {
    if (lines % n == 0 && n >= 2 * counts.back()) counts.push_back(static_cast<int>(n));
  }
  return counts;
}

/// Cycles per k step of one tile: two fused multiply-adds or two loads a cycle, four cycles from
/// an accumulator's one addition to its next; half a cycle for what surrounds the tile.
double tile_cycles(const KernelSpec& k, int mr) {
  const double nv = vectors(k);
  return std::max({mr * nv / 2, (mr + nv) / 2, 4.0}) + 0.5;
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

/// Padding k to `lines` lines must not cost more than 3 % of either matrix.
bool pads_little(const FfnSpec& ffn, Packing p, int lines) {
  for (int64_t length : {ffn.shape.d_model, ffn.shape.d_ff}) {
    if (length == Shape::kAny) continue;
    p.k_lines = 1;
    const double exact = double(packed_lines(p, length));
    p.k_lines = lines;
    if (double(packed_lines(p, length)) > 1.03 * exact) return false;
  }
  return true;
}

Packing packing_of(const FfnSpec& ffn, int panel, int group) {
  Packing p{.panel = panel, .pair = pair_of(ffn.dtype), .k_step = k_step_of(ffn.dtype, panel)};
  p.group = group;
  p.k_lines = 1;
  for (int lines : {2, 4, 8, 16}) {
    Packing trial = p;
    trial.k_lines = lines;
    if (pads_little(ffn, p, lines) && panels_cover_hidden(ffn, trial)) p = trial;
  }
  return p;
}

}  // namespace

std::optional<std::string> why_illegal(const KernelSpec& k) {
  for (const auto reason : {packing_reason, streams_reason, rows_reason, k_block_reason,
                            unroll_reason, blocking_reason, slices_reason, size_reason}) {
    if (Reason r = reason(k)) return r;
  }
  return {};
}

std::vector<Packing> legal_packings(const FfnSpec& ffn, Target target) {
  // Panels of one vector leave the tallest tiles; four streams draw the most bandwidth from a core
  // with 256-bit loads (Zen 3, 1 row: 18.1 GB/s against 15.7 with two).
  if (info(target).vector_lanes == 16) return {packing_of(ffn, 16, 2), packing_of(ffn, 16, 4)};
  return {packing_of(ffn, 8, 4), packing_of(ffn, 8, 2), packing_of(ffn, 16, 4)};
}

std::vector<Axis> axes(const KernelSpec& k) {
  const int lines = k.packing.k_lines;
  return {{"mr", row_tiles(k)},
          {"streams", k.packing.group == 4 ? std::vector<int>{1, 2, 4} : std::vector<int>{1, 2}},
          {"kb", distinct({0, lines, 16, 32, 64, 128})},
          {"pf", {0, 32, 64, 96, 192}},
          {"unroll", {1, 2, 4}},
          {"mb", {0, 1, 2, 4, 8, 16, 32, 64}},
          {"slices", slice_counts(k)},
          {"xpack", {0, 1}}};
}

namespace {

/// Depth-first over the axes; a point is judged as soon as all its values stand.
void enumerate(KernelSpec& k, const std::vector<Axis>& all, size_t depth,
               std::vector<SchedulePoint>& out) {
  if (depth == all.size()) {
    if (!why_illegal(k)) out.push_back(k.point);
    return;
  }
  for (const Tunable& t : kTunables) {
    if (all[depth].name != t.name) continue;
    for (int value : all[depth].values) {
      k.point.*t.value = value;
      // Cut the branch where the axis's own reason already holds.
      if (all[depth].name == "streams" && (streams_reason(k) || rows_reason(k))) continue;
      if (all[depth].name == "kb" && k_block_reason(k)) continue;
      if (all[depth].name == "mb" && (blocking_reason(k) || !row_block_fits(k))) continue;
      if (all[depth].name == "slices" && slices_reason(k)) continue;
      enumerate(k, all, depth + 1, out);
    }
  }
}

}  // namespace

std::vector<SchedulePoint> legal_points(const KernelSpec& kernel) {
  std::vector<SchedulePoint> points;
  KernelSpec k = kernel;
  for (Fusion fusion : {Fusion::gated, Fusion::blocked, Fusion::streamed, Fusion::unfused}) {
    k.point = {};
    k.point.fusion = fusion;
    enumerate(k, axes(k), 0, points);
  }
  return points;
}

namespace {

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
///   192 rows: k-blocks of 128 lines 0.87, with prefetch 0.75, of 16 lines 0.38
///   4 rows, 896x4864, of the time of 4 streams: 4x2 with prefetch 0.66 in bf16, 0.94 in f16, since
///     half the bytes leave less time to hide the arithmetic behind
///   128 rows, 2048x768: two lines an iteration 0.797, one 0.782 (43 instructions for 24 fma: where
///     a neighbour holds half of the core's front end, that is what limits)
/// Tried and left out: blocks of 4 to 32 panels that share a k-block of x (0.95 to 1.12 of the
/// time); for 16 rows, the prefetch of the next k-block spread over all row tiles instead of issued
/// by the first (0.99 of the time with blocks of 16 lines, 1.04 to 1.06 with longer ones). Few
/// tiles want short k-blocks, since only the first tile of a block fetches it; many
/// tiles want long ones, since each tile then reads x in longer runs.
void default_narrow(KernelSpec& k, int64_t rows) {
  const bool f32 = k.ffn.dtype == DType::f32;
  k.point.streams = rows <= (f32 ? 4 : 2) ? k.packing.group : 2;
  if (most_rows(k) == 0) k.point.streams = 2;
  k.point.mr = best_row_tile(k);
  const int64_t tiles = (rows + k.point.mr - 1) / k.point.mr;
  if (tiles > 1) k.point.kb = k_block_up_to(k, tiles <= 8 ? 16 : 128);
  if (tiles <= 8 && k.point.streams == 2 && rows > 2) k.point.pf = 32;
  if (tiles > 8 && f32 && k.point.kb % 2 == 0 && k.point.kb > 0) k.point.unroll = 2;
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
