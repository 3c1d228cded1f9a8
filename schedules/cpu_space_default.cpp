#include <algorithm>
#include <cmath>

#include "schedules/cpu_space.h"
#include "schedules/space.h"

namespace gatefold {
namespace cpu {

int64_t tuned_rows(const KernelSpec& k) { return std::max<int64_t>(1, k.rows.tuned_rows); }

int64_t row_tiles(const KernelSpec& k) { return (tuned_rows(k) + k.point.mr - 1) / k.point.mr; }

int best_row_tile(const KernelSpec& k) {
  const int64_t rows = tuned_rows(k);
  int best = 1;
  double best_cycles = INFINITY;
  for (int mr = 1; mr <= std::min<int64_t>(rows, most_rows(k)); ++mr) {
    const double cycles = double((rows + mr - 1) / mr) * arch_space(k.target).tile_cycles(k, mr);
    if (cycles <= best_cycles) best_cycles = cycles, best = mr;
  }
  return best;
}

int k_block_up_to(KernelSpec k, int wanted) {
  for (k.point.kb = 128; k.point.kb >= 8; k.point.kb /= 2) {
    if (k.point.kb <= wanted && !k_block_reason(k)) return k.point.kb;
  }
  return 0;
}

void end_sums(KernelSpec& k) {
  if (!sums_reason(k)) return;
  k.point.kb = kMostProductsInF16 / (k.packing.k_step * k.packing.pair);
  while (k.point.kb > 1 && k_block_reason(k)) --k.point.kb;
}

}  // namespace cpu

using namespace cpu;

namespace {

/// Rows whose hidden layer stays within half of the last cache.
int64_t rows_of_block(const KernelSpec& k, const CpuProfile& cpu) {
  const int64_t hidden_row = 4 * (k.ffn.shape.d_ff == Shape::kAny ? 8192 : k.ffn.shape.d_ff);
  const int64_t in_cache = std::max<int64_t>(64, cpu.l3 / 2 / hidden_row);
  return std::min(in_cache, arch_space(k.target).most_block_rows(k.target));
}

}  // namespace

SchedulePoint cpu::default_point(const KernelSpec& kernel, const CpuProfile& cpu) {
  KernelSpec k = kernel;
  k.point = {};
  const int64_t rows = tuned_rows(k);
  k.point.fusion = Fusion::gated;
  arch_space(k.target).default_tile(k, cpu);
  end_sums(k);
  // The last bucket also runs far more rows than it is tuned for; to all in one block blocking
  // costs nothing (Zen 3: 1.00 at 16, 64 and 256 rows).
  const int64_t block = rows_of_block(k, cpu);
  const bool runs_more = k.rows.rows_max == RowBucket::kOpen && rows > kRowsInL2;
  if (rows >= 2 * block || runs_more) {
    k.point.fusion = Fusion::blocked;
    k.point.mb = int(std::min<int64_t>((block + k.point.mr - 1) / k.point.mr, kMostTilesPerBlock));
  }
  return k.point;
}

}  // namespace gatefold
