#include "schedules/x86_space.h"

#include <algorithm>

#include "schedules/space.h"

namespace gatefold {
namespace {

using namespace x86;

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

}  // namespace gatefold
