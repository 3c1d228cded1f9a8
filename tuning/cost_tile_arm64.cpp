#include <cmath>

#include "schedules/cpu_space.h"
#include "schedules/neon_space.h"
#include "tuning/cost_tile.h"

namespace gatefold {
namespace {

constexpr double kRegisterBytes = 16;

/// Loads of x for one line. By tiles the rows of one k stand side by side; by rows the words of one
/// iteration, if registers can hold those of all rows.
double input_loads(const KernelSpec& k, bool by_rows, double steps) {
  return k.point.mr * steps / (by_rows ? neon::lanes_of_words(k) : neon::lanes_of_rows(k));
}

/// What makes f32 of 16-bit weights: an instruction for each vector of them, on the pipes that
/// multiply.
double widenings(const KernelSpec& k, double steps) {
  return cpu::widens(k) ? weight_vectors(k) * steps : 0;
}

}  // namespace

/// A load of x serves as many rows as it has lanes (schedules/neon_space.h); loads from
/// neighbouring places are one instruction by pairs.
TileWork arm64_tile_work(const KernelSpec& k, bool by_rows) {
  const double vectors = weight_vectors(k), steps = k.packing.k_step * k.packing.pair;
  const double weight_loads =
      vectors * steps * sum_lanes(k) * info(k.ffn.dtype).bytes / kRegisterBytes;
  const double x_loads = input_loads(k, by_rows, steps);
  TileWork work;
  work.multiply_adds = k.point.mr * vectors * steps;
  work.loads = weight_loads + x_loads;
  work.shuffles = widenings(k, steps);
  work.instructions = work.multiply_adds + work.shuffles + std::ceil(weight_loads / 2) +
                      (by_rows ? x_loads : std::ceil(x_loads / 2)) +
                      kLoopInstructions / k.point.unroll;
  work.chain = steps;
  return work;
}

}  // namespace gatefold
