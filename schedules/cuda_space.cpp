#include "schedules/cuda_space.h"

#include <algorithm>

#include "schedules/cpu_space.h"

namespace gatefold::device {
namespace {

constexpr int kMostRows = 16;
constexpr int kMostThreads = 1024;      // of one block
constexpr int kRegisters = 64 << 10;    // of one multiprocessor, so also of one block
constexpr int kSharedBytes = 48 << 10;  // what a launch may use without asking for more
constexpr int kMostSlicesOfBlock = 16;
constexpr int kMostSlicesOfGrid = 256;
/// Beside sums and operands: addresses, loop counters, what is on its way. Of the 128 registers
/// that a thread of 512 has, bf16 by 8 rows and 2 streams needs all but 40 for sums and operands
/// and spills on sm_90; of 255, 16 rows by 4 streams need all but 47 and end up with 241.
constexpr int kOtherRegisters = 47;
/// Multiply-adds that are unrolled: the code of one loop must stay in the instruction cache.
constexpr int kMostUnrolled = 512;

std::string number(int64_t value) { return std::to_string(value); }

std::string out_of_bound(const char* name, int64_t value, const std::string& wanted) {
  return std::string(name) + "=" + number(value) + ", wanted " + wanted;
}

/// k in one line: what all packings of a device pad k to.
constexpr int kLine = 32;

bool gated_together(const KernelSpec& k) {
  return k.ffn.variant.gated && k.point.fusion != Fusion::unfused;
}

int sums(const KernelSpec& k) { return k.point.mr * k.point.streams; }

/// Words of all streams as they are loaded (four registers each), and the k of all rows: ptxas
/// loads every row before it multiplies the first, and spills rather than loads later (with 4 words
/// ahead where this says 2, 16 rows by 2 streams of f32 spill 72 bytes).
int operands(const KernelSpec& k, int ahead) {
  return ahead * (4 * k.point.streams + k.packing.pair * k.point.mr);
}

int registers_of_thread(const KernelSpec& k) {
  return std::min(info(k.target).vector_registers, kRegisters / threads_of_block(k));
}

Reason fusion_reason(const KernelSpec& k) {
  const Fusion fusion = k.point.fusion;
  if (fusion == Fusion::gated || fusion == Fusion::unfused) return {};
  return std::string("fusion=") + name(fusion) + ", wanted gated or unfused on " +
         info(k.target).name;
}

Reason packing_reason(const KernelSpec& k) {
  const Packing& p = k.packing;
  const int pair = pair_of(k.ffn.dtype);
  if (p.pair != pair) return out_of_bound("pair", p.pair, number(pair) + " (16 bytes)");
  if (p.panel != 32 && p.panel != 64) return out_of_bound("panel", p.panel, "32 or 64");
  if (p.k_step != kLine / pair)
    return out_of_bound("k_step", p.k_step, number(kLine / pair) + " (a line of 32 k)");
  if (p.k_lines != 1) return out_of_bound("k_lines", p.k_lines, "1");
  if (p.group != 2 && p.group != 4) return out_of_bound("group", p.group, "2 or 4");
  return {};
}

Reason streams_reason(const KernelSpec& k) {
  const int s = k.point.streams;
  if (s < 1 || k.packing.group % s != 0)
    return out_of_bound("streams", s, "a divisor of group=" + number(k.packing.group));
  if (gated_together(k) && s % 2 != 0)
    return out_of_bound("streams", s, "an even number, for gate and up");
  return {};
}

Reason rows_reason(const KernelSpec& k) {
  if (k.point.mr < 1 || k.point.mr > kMostRows)
    return out_of_bound("mr", k.point.mr, "1 to " + number(kMostRows));
  return {};
}

Reason threads_reason(const KernelSpec& k) {
  if (k.point.mb < 0 || k.point.mb > kMostThreads)
    return out_of_bound("mb", k.point.mb, "0 to " + number(kMostThreads));
  if (k.point.ks < 1 || k.point.ks > kMostSlicesOfBlock)
    return out_of_bound("ks", k.point.ks, "1 to " + number(kMostSlicesOfBlock));
  if (threads_of_block(k) > kMostThreads)
    return out_of_bound("ks", k.point.ks,
                        "at most " + number(kMostThreads) + " threads, with panel=" +
                            number(k.packing.panel) + " and mb=" + number(k.point.mb));
  return {};
}

Reason registers_reason(const KernelSpec& k) {
  const int have = registers_of_thread(k);
  const int need = sums(k) + operands(k, 1) + kOtherRegisters;
  if (need > have)
    return out_of_bound("mr", k.point.mr,
                        "fewer rows: " + number(need) + " registers of a thread's " + number(have));
  return {};
}

/// Slices leave their sums in shared memory.
Reason shared_reason(const KernelSpec& k) {
  if (k.point.ks == 1) return {};
  const int64_t bytes = int64_t{4} * threads_of_block(k) * sums(k);
  if (bytes > kSharedBytes)
    return out_of_bound("ks", k.point.ks,
                        "at most " + number(kSharedBytes) +
                            " bytes of shared memory for sums, not " + number(bytes));
  return {};
}

Reason k_slices_reason(const KernelSpec& k) {
  const int64_t d_model = k.ffn.shape.d_model;
  if (k.point.ks == 1 || d_model == Shape::kAny) return {};
  const int64_t lines = packed_lines(k.packing, d_model);
  if (k.point.ks > lines)
    return out_of_bound("ks", k.point.ks, "at most the " + number(lines) + " lines of d_model");
  return {};
}

Reason slices_reason(const KernelSpec& k) {
  const int slices = k.point.slices;
  if (slices == 1 || slices > kMostSlicesOfGrid || slices < 0)
    return out_of_bound("slices", slices, "0, or 2 to " + number(kMostSlicesOfGrid));
  if (k.ffn.shape.d_ff == Shape::kAny) return {};
  const int64_t lines = packed_lines(k.packing, k.ffn.shape.d_ff);
  if (int64_t{slices_of_grid(k)} * k.point.ks > std::max<int64_t>(1, lines))
    return out_of_bound(
        "slices", slices,
        "with ks=" + number(k.point.ks) + " at most the " + number(lines) + " lines of d_ff");
  return {};
}

/// What only the schedules of CPUs know.
Reason cpu_reason(const KernelSpec& k) {
  if (k.point.kb != 0) return out_of_bound("kb", k.point.kb, "0 on " + info(k.target).name);
  if (k.point.pf != 0) return out_of_bound("pf", k.point.pf, "0 on " + info(k.target).name);
  if (k.point.pl != 1) return out_of_bound("pl", k.point.pl, "1 on " + info(k.target).name);
  if (k.point.unroll != 1)
    return out_of_bound("unroll", k.point.unroll, "1 on " + info(k.target).name);
  if (k.point.xpack < 0 || k.point.xpack > 1) return out_of_bound("xpack", k.point.xpack, "0 or 1");
  return {};
}

Reason sums_reason(const KernelSpec& k) {
  if (k.ffn.accumulate == DType::f32) return {};
  return "accumulate=" + info(k.ffn.accumulate).name + ", wanted f32 on " + info(k.target).name;
}

/// Legal, but not worth a trial: row tiles without a row.
Reason empty_tiles_reason(const KernelSpec& k) {
  const int64_t rows = std::max<int64_t>(1, k.rows.tuned_rows);
  const int64_t tiles = tiles_of_block(k);
  if (k.point.mb == 0 || (k.point.mb > 1 && (tiles - 1) * k.point.mr < rows)) return {};
  return out_of_bound("mb", k.point.mb,
                      "0, or 2 and more tiles that hold some of the " + number(rows) + " rows");
}

std::vector<int> up_to(std::vector<int> values, int64_t most) {
  std::erase_if(values, [&](int v) { return v > most; });
  return values;
}

bool pads_little(const FfnSpec& ffn, const Packing& p) {
  for (const auto& [out, in] : {std::pair{ffn.shape.d_ff, ffn.shape.d_model},
                                std::pair{ffn.shape.d_model, ffn.shape.d_ff}}) {
    if (out == Shape::kAny || in == Shape::kAny) return false;
    if (double(packed_panels(p, out) * p.panel) > 1.02 * double(out)) return false;
  }
  return true;
}

Packing packing_of(const FfnSpec& ffn, int panel, int group) {
  const int pair = pair_of(ffn.dtype);
  return {.panel = panel, .pair = pair, .k_step = kLine / pair, .k_lines = 1, .group = group};
}

}  // namespace

int pair_of(DType dtype) { return 16 / info(dtype).bytes; }

int tiles_of_block(const KernelSpec& k) { return std::max(1, k.point.mb); }

int threads_of_block(const KernelSpec& k) {
  return k.packing.panel * k.point.ks * tiles_of_block(k);
}

int slices_of_grid(const KernelSpec& k) { return std::max(1, k.point.slices); }

int estimated_registers(const KernelSpec& k) {
  return std::min(registers_of_thread(k), sums(k) + operands(k, words_ahead(k)) + kOtherRegisters);
}

int words_ahead(const KernelSpec& k) {
  int ahead = k.packing.k_step;
  const auto fits = [&] {
    return ahead * k.packing.pair * sums(k) <= kMostUnrolled &&
           sums(k) + operands(k, ahead) + kOtherRegisters <= registers_of_thread(k);
  };
  while (ahead > 1 && !fits()) ahead /= 2;
  return ahead;
}

Reason why_illegal(const KernelSpec& k) {
  for (const auto reason : {fusion_reason, packing_reason, streams_reason, rows_reason,
                            threads_reason, registers_reason, shared_reason, k_slices_reason,
                            slices_reason, cpu_reason, sums_reason, cpu::size_reason}) {
    if (Reason r = reason(k)) return r;
  }
  return {};
}

const std::vector<AxisReasons>& axis_reasons() {
  static const std::vector<AxisReasons> reasons = {
      {"mr", {fusion_reason, rows_reason}},
      {"streams", {streams_reason}},
      {"mb", {empty_tiles_reason}},
      {"ks", {threads_reason, registers_reason, shared_reason, k_slices_reason}},
      {"slices", {slices_reason}}};
  return reasons;
}

std::vector<Axis> axes(const KernelSpec& k) {
  const int64_t rows = std::max<int64_t>(1, k.rows.tuned_rows);
  return {{"mr", up_to({1, 2, 3, 4, 6, 8, 12, 16}, rows)},
          {"streams", up_to({1, 2, 4}, k.packing.group)},
          {"mb", {0, 2, 4, 8}},
          {"ks", {1, 2, 4, 8, 16}},
          {"slices", {0, 2, 3, 4, 6, 8, 12, 16, 24, 32}},
          {"xpack", {0, 1}}};
}

/// Four panels side by side where they pad no more than two: each k of x is then used for twice the
/// columns.
std::vector<Packing> legal_packings(const FfnSpec& ffn) {
  const Packing two = packing_of(ffn, 64, 2), four = packing_of(ffn, 64, 4),
                narrow = packing_of(ffn, 32, 2);
  if (pads_little(ffn, four)) return {four, two, narrow};
  return {two, narrow};
}

}  // namespace gatefold::device
