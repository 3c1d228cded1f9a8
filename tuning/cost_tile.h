#pragma once

#include "spec/ffn_spec.h"
#include "tuning/cost_constants.h"

namespace gatefold {

/// What one register tile does for one 64-byte line of every weight stream: the body of the hot
/// loop.
struct TileWork {
  double multiply_adds = 0;
  double loads = 0;         ///< weights, broadcasts of x, prefetches
  double instructions = 0;  ///< all of the above, widening and the loop's own
  double shuffles = 0;      ///< conversions that go through one port
  double chain = 0;         ///< multiply-adds of one accumulator, each waiting for the one before
  bool spills = false;      ///< accumulators go through the stack
};

TileWork tile_work(const KernelSpec& kernel);

/// Cycles of the hot loop for one line of every stream, everything in L1.
double tile_cycles(const TileWork& work, const CostConstants& c);

/// Accumulators of the tile.
int accumulators(const KernelSpec& kernel);

}  // namespace gatefold
