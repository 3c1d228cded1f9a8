#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schedules/space.h"
#include "spec/ffn_spec.h"

/// What the spaces of CPU targets share: the reasons that make a point illegal, one per axis, and
/// what they know of packed lines. What differs per architecture is its ArchSpace.
namespace gatefold::cpu {

inline constexpr int kMostTilesPerBlock = 4096;
inline constexpr int64_t kMostRowsOfBlock = int64_t{1} << 20;

/// More rows than this no longer read x from the L2 cache, or not if others use it too.
inline constexpr int64_t kRowsInL2 = 64;

/// Vectors of weights that a tile reads side by side.
int vectors(const KernelSpec& k);

/// Whether 16-bit weights become f32 in the hot loop.
bool widens(const KernelSpec& k);

/// k values that stand side by side.
int pair_of(DType dtype, Target target);

/// Steps of k in one 64-byte line.
int k_step_of(DType dtype, const Packing& packing);

/// The down projection reads as many hidden columns as its k is padded to; gate and up must have
/// panels for all of them.
bool panels_cover_hidden(const FfnSpec& ffn, const Packing& p);

Reason streams_reason(const KernelSpec& k);
Reason rows_reason(const KernelSpec& k);
Reason k_block_reason(const KernelSpec& k);
/// Sums in f16 must end before they stop growing.
Reason sums_reason(const KernelSpec& k);
Reason unroll_reason(const KernelSpec& k);
Reason blocking_reason(const KernelSpec& k);
Reason slices_reason(const KernelSpec& k);
Reason prefetch_level_reason(const KernelSpec& k);
/// 32-bit indices: no packed matrix may have 2^31 elements or more, padding included. A size that
/// is left to the call counts as 1 here.
Reason size_reason(const KernelSpec& k);
const std::vector<AxisReasons>& axis_reasons();

/// What schedules/space.h declares, for the targets of CPUs.
Reason why_illegal(const KernelSpec& k);
std::vector<Packing> legal_packings(const FfnSpec& ffn, Target target);
std::vector<Axis> axes(const KernelSpec& k);
SchedulePoint default_point(const KernelSpec& k, const CpuProfile& cpu);

/// Width of a panel and how many of them kernels may read side by side.
struct Panels {
  int panel, group;
};

/// What only an architecture knows.
struct ArchSpace {
  int bf16_pair;
  /// Rows of the largest tile: what it holds must fit the registers, or the compiler spills in the
  /// hot loop (measured at a third of the speed). 0: not even one row fits.
  int (*most_rows)(const KernelSpec& k);
  /// Those worth trying for a block on a target, the default first.
  std::vector<Panels> (*panels)(const FfnSpec& ffn, Target target);
  /// Cycles that a k step of a tile of `mr` rows takes.
  double (*tile_cycles)(const KernelSpec& k, int mr);
  /// The default of everything but fusion and row blocks.
  void (*default_tile)(KernelSpec& k, const CpuProfile& cpu);
  /// Of the default of blocked fusion, besides what the last cache holds.
  int64_t (*most_block_rows)(Target target);
  /// Worth trying.
  std::vector<int> (*prefetch_levels)(Target target);
};
const ArchSpace& arch_space(Target target);

inline int most_rows(const KernelSpec& k) { return arch_space(k.target).most_rows(k); }

/// The tile whose passes over all rows cost least; the taller one where two cost the same.
int best_row_tile(const KernelSpec& k);

/// The longest legal k-block of at most `wanted` lines; 0 if none is.
int k_block_up_to(KernelSpec k, int wanted);

/// Gives sums in f16 the longest legal k-block where the point has none that ends them.
void end_sums(KernelSpec& k);

/// Rows of the tuned call, at least one, and the tiles that hold them.
int64_t tuned_rows(const KernelSpec& k);
int64_t row_tiles(const KernelSpec& k);

}  // namespace gatefold::cpu

namespace gatefold {

const cpu::ArchSpace& x86_space();
const cpu::ArchSpace& neon_space();

}  // namespace gatefold
