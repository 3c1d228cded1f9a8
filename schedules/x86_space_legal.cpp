#include <algorithm>

#include "schedules/space.h"
#include "schedules/x86_space.h"

namespace gatefold {
namespace x86 {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

/// A tunable or packing field outside its bound: "mr=9, wanted at most 6 (registers)".
std::string out_of_bound(const char* name, int64_t value, const std::string& wanted) {
  return std::string(name) + "=" + number(value) + ", wanted " + wanted;
}

bool gated_together(const KernelSpec& k) {
  return k.ffn.variant.gated && k.point.fusion != Fusion::unfused;
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

/// blocked keeps a block's hidden rows in cache, streamed the partial results of its slices.
bool works_by_row_blocks(Fusion fusion) {
  return fusion == Fusion::blocked || fusion == Fusion::streamed;
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

}  // namespace

int vectors(const KernelSpec& k) {
  return k.point.streams * k.packing.panel / info(k.target).vector_lanes;
}

int most_rows(const KernelSpec& k) {
  const int registers = info(k.target).vector_registers;
  const int most = std::max(0, registers - held_registers(k)) / vectors(k);
  // One row uses each weight once, straight from memory, unless it must be widened before.
  const bool widened = k.ffn.dtype != DType::f32 && !uses_bf16_dot(k.ffn, k.target);
  const bool one_row = !widened && vectors(k) < registers;
  return std::max(most, one_row ? 1 : 0);
}

int pair_of(DType dtype) { return dtype == DType::bf16 ? 2 : 1; }

int k_step_of(DType dtype, int panel) { return 64 / (panel * pair_of(dtype) * info(dtype).bytes); }

bool panels_cover_hidden(const FfnSpec& ffn, const Packing& p) {
  const int64_t line = int64_t{p.pair} * p.k_step;
  if (ffn.shape.d_ff == Shape::kAny) return p.group * p.panel % (p.k_lines * line) == 0;
  return packed_lines(p, ffn.shape.d_ff) * line <= packed_panels(p, ffn.shape.d_ff) * p.panel;
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

Reason unroll_reason(const KernelSpec& k) {
  const int u = k.point.unroll;
  if (u < 1 || u > 8) return out_of_bound("unroll", u, "1 to 8");
  // A prefetch covers one line: Halide 21 steps a wider box by elements instead of bytes.
  if (u > 1 && k.point.pf > 0) return out_of_bound("unroll", u, "1 with prefetch");
  const int64_t lines = k.point.kb > 0 ? k.point.kb : k.packing.k_lines;
  if (lines % u != 0) return out_of_bound("unroll", u, "a divisor of " + number(lines) + " lines");
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

}  // namespace x86

std::optional<std::string> why_illegal(const KernelSpec& k) {
  using namespace x86;
  for (const auto reason : {packing_reason, streams_reason, rows_reason, k_block_reason,
                            unroll_reason, blocking_reason, slices_reason, size_reason}) {
    if (Reason r = reason(k)) return r;
  }
  return {};
}

}  // namespace gatefold
