#include "schedules/cpu_space.h"

#include <algorithm>

#include "schedules/space.h"

namespace gatefold {

const cpu::ArchSpace& cpu::arch_space(Target target) {
  switch (info(target).arch) {
    case Arch::x86_64:
      return x86_space();
    case Arch::arm64:
      return neon_space();
  }
  return x86_space();
}

namespace {

using namespace cpu;

/// Ascending, without repeats.
std::vector<int> distinct(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<int> tile_heights(const KernelSpec& k) {
  std::vector<int> rows;
  KernelSpec trial = k;
  trial.point = {.streams = 1};
  const int64_t most = std::min<int64_t>(most_rows(trial), tuned_rows(k));
  for (int mr = 1; mr <= most; ++mr) rows.push_back(mr);
  return rows;
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

Packing packing_of(const FfnSpec& ffn, Target target, int panel, int group) {
  Packing p{.panel = panel, .pair = pair_of(ffn.dtype, target)};
  p.k_step = k_step_of(ffn.dtype, p);
  p.group = group;
  p.k_lines = 1;
  for (int lines : {2, 4, 8, 16}) {
    Packing trial = p;
    trial.k_lines = lines;
    if (pads_little(ffn, p, lines) && panels_cover_hidden(ffn, trial)) p = trial;
  }
  return p;
}

/// Whether a row block makes sense: several of them for blocked fusion, and for streamed one that
/// just holds the rows, so that all slices are one parallel region.
Reason row_block_reason(const KernelSpec& k) {
  const int64_t mb = k.point.mb, rows = k.rows.tuned_rows;
  const std::string value = "mb=" + std::to_string(mb) + ", wanted ";
  const std::string all = std::to_string(rows) + " rows";
  if (k.point.fusion == Fusion::streamed) {
    const bool holds = mb * k.point.mr >= rows, half_would = mb > 1 && mb / 2 * k.point.mr >= rows;
    if (holds && !half_would) return {};
    return value + "the smallest row block that holds " + all + " with fusion=streamed";
  }
  if (mb == 0 || (mb >= 4 && mb < rows)) return {};
  return value + "4 or more, and less than the " + all + ", with fusion=blocked";
}

}  // namespace

const std::vector<AxisReasons>& cpu::axis_reasons() {
  static const std::vector<AxisReasons> reasons = {{"streams", {streams_reason, rows_reason}},
                                                   {"kb", {k_block_reason}},
                                                   {"unroll", {unroll_reason}},
                                                   {"mb", {blocking_reason, row_block_reason}},
                                                   {"slices", {slices_reason}},
                                                   {"pl", {prefetch_level_reason}}};
  return reasons;
}

std::vector<Packing> cpu::legal_packings(const FfnSpec& ffn, Target target) {
  std::vector<Packing> packings;
  for (const Panels& p : arch_space(target).panels(ffn, target)) {
    packings.push_back(packing_of(ffn, target, p.panel, p.group));
  }
  return packings;
}

std::vector<Axis> cpu::axes(const KernelSpec& k) {
  const int lines = k.packing.k_lines;
  return {{"mr", tile_heights(k)},
          {"streams", k.packing.group == 4 ? std::vector<int>{1, 2, 4} : std::vector<int>{1, 2}},
          {"kb", distinct({0, lines, 16, 32, 64, 128})},
          {"pf", {0, 32, 64, 96, 192}},
          {"unroll", {1, 2, 4}},
          {"mb", {0, 1, 2, 4, 8, 16, 32, 64}},
          {"slices", slice_counts(k)},
          {"xpack", {0, 1}},
          {"pl", arch_space(k.target).prefetch_levels(k.target)}};
}

}  // namespace gatefold
