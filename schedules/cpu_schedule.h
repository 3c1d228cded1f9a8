#pragma once

#include <vector>

#include "schedules/ffn_stages.h"

/// What the schedules of all CPU targets share: register tiles of rows by weight streams, panel
/// groups by row tiles around them, and the fusions around those.
namespace gatefold::cpu {

/// The loops inside one iteration of the hot loop, which takes one 64-byte line of every stream.
struct HotLoop {
  Halide::Stage update;
  Halide::RVar pair, words, iteration;
  Halide::Var vector;  ///< lane of a vector; `ni` counts the vectors of a panel
};

/// What an architecture decides by itself.
struct Choices {
  int columns;  ///< of one vector of weights
  /// Orders the loops of the hot loop and brings its operands into registers.
  void (*multiply)(FfnStages& stages, Projection& p, HotLoop& loop);
  /// Order in memory, innermost first, of what is packed by tiles.
  std::vector<Halide::Var> tile_order;
  /// Whether the hidden layer is packed by tiles like x, or stands by rows.
  bool hidden_by_tiles;
};

/// One multiply-add for each vector of weights, each row and each k.
void multiply_by_vectors(const FfnStages& stages, HotLoop& loop);

/// Schedules all stages by the kernel's point.
void schedule_tiles(FfnStages& stages, Choices choices);

}  // namespace gatefold::cpu

namespace gatefold {

void schedule_x86(FfnStages& stages);
void schedule_neon(FfnStages& stages);

}  // namespace gatefold
