#pragma once

#include "spec/ffn_spec.h"
#include "tuning/cost_constants.h"

namespace gatefold {

/// Instructions of a loop for itself: add, compare, jump.
inline constexpr double kLoopInstructions = 3;

/// What one register tile does for one 64-byte line of every weight stream: the body of the hot
/// loop.
struct TileWork {
  double multiply_adds = 0;
  double loads = 0;         ///< weights, broadcasts of x, prefetches
  double instructions = 0;  ///< all of the above, widening and the loop's own
  double shuffles = 0;      ///< conversions that go through few ports
  double chain = 0;         ///< multiply-adds of one accumulator, each waiting for the one before
  bool spills = false;      ///< accumulators go through the stack
};

/// `by_rows`: the input stands row by row, not tile by tile.
TileWork tile_work(const KernelSpec& kernel, bool by_rows);

/// The part of it that is about AArch64, without prefetch.
TileWork arm64_tile_work(const KernelSpec& kernel, bool by_rows);

/// Cycles of the hot loop for one line of every stream, everything in L1.
double tile_cycles(const TileWork& work, const CostConstants& c);

/// Vectors of weights that the tile reads side by side.
int weight_vectors(const KernelSpec& kernel);

/// Accumulators of the tile.
int accumulators(const KernelSpec& kernel);

}  // namespace gatefold
