#include <algorithm>

#include "schedules/cuda_space.h"

namespace gatefold::device {
namespace {

/// Blocks of threads that keep a large device busy: two on each of 132 multiprocessors (H100).
constexpr int64_t kBlocks = 264;
/// Lines of d_ff that a slice should have at least, for its sums to be worth writing.
constexpr int64_t kLeastLines = 2;
/// Threads of a block: enough to hide the memory's latency, few enough for their registers. With
/// 512 ptxas has 128 for each, unrolls short loops all the same and spills 16 bytes (f32, 1 row,
/// any sizes, sm_90).
constexpr int kThreads = 256;
/// More of them in one tile by two streams spill while k is parted, whatever the block's size.
constexpr int64_t kRowsOfFew = 4;

int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t lines_of(const KernelSpec& k, int64_t length) {
  constexpr int64_t kMiddling = 4096;
  return packed_lines(k.packing, length == Shape::kAny ? kMiddling : length);
}

/// Dense blocks have one matrix and gated ones two, whose panels stand side by side.
int fewest_streams(const KernelSpec& k) { return k.ffn.variant.gated ? 2 : 1; }

/// The most k-slices that are legal, up to a block of `threads`.
void slice_k(KernelSpec& k, int threads) {
  k.point.ks = 1;
  while (2 * threads_of_block(k) <= threads) {
    KernelSpec wider = k;
    wider.point.ks *= 2;
    if (device::why_illegal(wider)) return;
    k = wider;
  }
}

/// How much of the slices' time is work, where the last one may be short.
double use(int64_t lines, int64_t slices) {
  return double(lines) / double(slices * ceil_div(lines, slices));
}

/// Parts d_ff where the down projection alone would leave most of the device idle. Of the counts
/// near what fills it the one that leaves the least idle threads.
void slice_d_ff(KernelSpec& k) {
  const int64_t rows = std::max<int64_t>(1, k.rows.tuned_rows);
  const int64_t d_model = k.ffn.shape.d_model == Shape::kAny ? 4096 : k.ffn.shape.d_model;
  const int64_t groups = ceil_div(d_model, int64_t{k.packing.panel} * k.point.streams) *
                         ceil_div(rows, int64_t{k.point.mr} * tiles_of_block(k));
  const int64_t lines = lines_of(k, k.ffn.shape.d_ff);
  const int64_t most = std::min(ceil_div(kBlocks, groups), lines / (k.point.ks * kLeastLines));
  double best = 0;
  for (int64_t slices = std::max<int64_t>(2, most / 2); slices <= std::min<int64_t>(most, 32);
       ++slices) {
    const double found = use(lines, slices * k.point.ks);
    if (found >= best) best = found, k.point.slices = int(slices);
  }
}

}  // namespace

SchedulePoint default_point(const KernelSpec& kernel) {
  KernelSpec k = kernel;
  const int64_t rows = std::max<int64_t>(1, k.rows.tuned_rows);
  k.point = {};
  k.point.streams = rows <= 2 ? fewest_streams(k) : k.packing.group;
  if (rows <= kFewRows) {
    const int64_t tiles = ceil_div(rows, kRowsOfFew);
    k.point.mr = int(ceil_div(rows, tiles));
    k.point.mb = tiles > 1 ? int(tiles) : 0;
  } else {
    k.point.mr = rows < 64 ? 8 : 16;
    const int64_t tiles = ceil_div(rows, k.point.mr);
    k.point.mb = tiles >= 4 ? 4 : int(tiles);
  }
  slice_k(k, kThreads);
  slice_d_ff(k);
  return k.point;
}

}  // namespace gatefold::device
