#include <algorithm>

#include "schedules/cpu_space.h"
#include "schedules/space.h"

namespace gatefold::cpu {
namespace {

std::string number(int64_t value) { return std::to_string(value); }

/// A tunable or packing field outside its bound: "mr=9, wanted at most 6 (registers)".
std::string out_of_bound(const char* name, int64_t value, const std::string& wanted) {
  return std::string(name) + "=" + number(value) + ", wanted " + wanted;
}

bool gated_together(const KernelSpec& k) {
  return k.ffn.variant.gated && k.point.fusion != Fusion::unfused;
}

Reason packing_reason(const KernelSpec& k) {
  const Packing& p = k.packing;
  const int lanes = sum_lanes(k);
  const int pair = pair_of(k.ffn.dtype, k.target);
  if (p.pair != pair)
    return out_of_bound("pair", p.pair, number(pair) + " for this dtype and target");
  const bool narrow = lanes == 4 && k.ffn.dtype == DType::f32;
  if (p.panel != 8 && p.panel != 16 && !(narrow && p.panel == 4)) {
    return out_of_bound("panel", p.panel, narrow ? "4, 8 or 16" : "8 or 16");
  }
  if (p.panel % lanes != 0) {
    return out_of_bound("panel", p.panel, "a multiple of " + number(lanes) + " lanes");
  }
  const int k_step = k_step_of(k.ffn.dtype, p);
  if (p.k_step != k_step)
    return out_of_bound("k_step", p.k_step, number(k_step) + " (one 64-byte line)");
  if (p.k_lines < 1 || p.k_lines > 64) return out_of_bound("k_lines", p.k_lines, "1 to 64");
  if (p.group != 2 && p.group != 4) return out_of_bound("group", p.group, "2 or 4");
  if (!panels_cover_hidden(k.ffn, p)) {
    return out_of_bound("k_lines", p.k_lines, "a padding of d_ff that its panels cover");
  }
  return {};
}

/// Blocks of threads are a device's.
Reason threads_reason(const KernelSpec& k) {
  if (k.point.ks != 1) return out_of_bound("ks", k.point.ks, "1 on " + info(k.target).name);
  return {};
}

/// blocked keeps a block's hidden rows in cache, streamed the partial results of its slices.
bool works_by_row_blocks(Fusion fusion) {
  return fusion == Fusion::blocked || fusion == Fusion::streamed;
}

}  // namespace

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

int vectors(const KernelSpec& k) { return k.point.streams * k.packing.panel / sum_lanes(k); }

bool widens(const KernelSpec& k) {
  return k.ffn.dtype != DType::f32 && k.ffn.accumulate == DType::f32 &&
         !uses_bf16_dot(k.ffn, k.target);
}

int pair_of(DType dtype, Target target) {
  return dtype == DType::bf16 ? arch_space(target).bf16_pair : 1;
}

int k_step_of(DType dtype, const Packing& p) { return 64 / (p.panel * p.pair * info(dtype).bytes); }

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

Reason sums_reason(const KernelSpec& k) {
  if (k.ffn.accumulate == DType::f32) return {};
  if (!info(k.target).sums_f16) {
    return "accumulate=" + info(k.ffn.accumulate).name + ", wanted f32 on " + info(k.target).name;
  }
  const int64_t most = kMostProductsInF16 / (k.packing.k_step * k.packing.pair);
  const bool streamed = k.point.fusion == Fusion::streamed && k.point.slices > 0;
  const auto too_long = [&](int64_t length, int64_t blocks) {
    if (blocks == 0 && k.point.kb > 0) return k.point.kb > most;
    if (length == Shape::kAny) return true;
    return packed_lines(k.packing, length) > most * std::max<int64_t>(1, blocks);
  };
  if (too_long(k.ffn.shape.d_model, 0) || (!streamed && too_long(k.ffn.shape.d_ff, 0))) {
    return out_of_bound("kb", k.point.kb,
                        "blocks of at most " + number(most) + " lines (sums in f16)");
  }
  if (streamed && too_long(k.ffn.shape.d_ff, k.point.slices)) {
    return out_of_bound("slices", k.point.slices,
                        "slices of at most " + number(most) + " lines (sums in f16)");
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

/// Halide 21 writes prefetches past the L2 cache; which other ones x86 has, the emitter knows.
Reason prefetch_level_reason(const KernelSpec& k) {
  const bool choice = info(k.target).arch == Arch::x86_64 && k.point.pf > 0;
  if (k.point.pl == 1 || (choice && k.point.pl == 2)) return {};
  return out_of_bound("pl", k.point.pl, choice ? "1 or 2" : "1 without prefetch, and on arm64");
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

Reason why_illegal(const KernelSpec& k) {
  for (const auto reason :
       {packing_reason, streams_reason, rows_reason, k_block_reason, sums_reason, unroll_reason,
        blocking_reason, slices_reason, prefetch_level_reason, threads_reason, size_reason}) {
    if (Reason r = reason(k)) return r;
  }
  return {};
}

}  // namespace gatefold::cpu
