#include <algorithm>

#include "generator/mlir/tile.h"
#include "tuning/gpu_launch_parts.h"

namespace gatefold::gpu {
namespace {

constexpr double kLine = 128;  // bytes of shared memory a clock
/// Beside ldmatrix and mma: waits, barriers and places in the ring, of each step of k.
constexpr double kStepInstructions = 24;
/// Of each finished value of the epilogue: reading it back, the activation, rounding, storing.
constexpr double kValueInstructions = 24;
constexpr int kSumThreads = 128;
constexpr int kSumRegisters = 34;  // ptxas 13.0, sm_80

/// One product in tiles.
struct TileProduct {
  const char* name;
  const char* entry;
  GemmTile tile;
  int64_t columns;  ///< of one matrix, padded
  int64_t k;        ///< padded
  int64_t parts;    ///< of k
  int value_bytes;  ///< of one result
};

/// The main loop of one block: `steps` stages.
BlockWork loop_work(const GemmTile& t, double steps) {
  BlockWork work;
  const int warps = t.warps_m * t.warps_n, k16 = t.bk / 16;
  const double products = double(t.row_products()) * t.column_products() * t.matrices;
  work.mma = steps * warps * k16 * products;
  work.mma_chains = int(products);
  const double fragments = double(t.warp_rows() + t.matrices * t.warp_columns()) * t.bk * 2;
  work.lines = steps * (warps * fragments + t.stage_bytes()) / kLine;
  const double matrices = k16 * (t.row_products() + t.matrices * t.column_products() / 2.0);
  const double copies = double(t.stage_bytes()) / kChunkBytes / t.threads();
  work.issued = steps * warps * (matrices + 2 * copies + kStepInstructions);
  work.read_bytes = steps * t.stage_bytes();
  work.loads = steps;
  work.loads_ahead = t.stages - 1;
  return work;
}

/// The sums go through shared memory, and each value through a thread.
void add_epilogue(const GemmTile& t, int value_bytes, BlockWork& work) {
  const double values = double(t.bm) * t.bn;
  work.lines += 2 * values * t.matrices * 4 / kLine;
  work.issued += values * kValueInstructions / kWarpThreads;
  work.written_bytes += values * value_bytes;
}

GpuLaunch launch_of(const KernelSpec& kernel, const TileProduct& p) {
  GpuLaunch launch{p.name, p.entry};
  const GemmTile& t = p.tile;
  const int64_t row_tiles = ceil_div(std::max<int64_t>(1, kernel.rows.tuned_rows), t.bm);
  launch.blocks = row_tiles * ceil_div(p.columns, t.bn) * p.parts;
  launch.block = {t.threads(), estimated_registers(t), t.shared_bytes()};
  launch.work = loop_work(t, double(ceil_div(ceil_div(p.k, t.bk), p.parts)));
  add_epilogue(t, p.value_bytes, launch.work);
  const double weights = double(p.columns) * double(p.k) * t.matrices * 2;
  launch.memory_bytes = weights;
  launch.column_groups = ceil_div(p.columns, t.bn);
  return launch;
}

}  // namespace

std::vector<GpuLaunch> tensor_core_launches(const KernelSpec& k, const TensorCorePoint& point,
                                            int64_t l2_bytes) {
  const auto columns = [&](int64_t n) { return packed_panels(k.packing, n) * k.packing.panel; };
  const auto padded = [&](int64_t n) {
    return packed_lines(k.packing, n) * k.packing.k_step * k.packing.pair;
  };
  const Shape& shape = k.ffn.shape;
  const int64_t d_ff = columns(shape.d_ff), d_model = columns(shape.d_model), parts = point.split_k;
  const double rows = double(k.rows.tuned_rows);
  const double hidden = rows * double(d_ff) * 2, sums = rows * double(d_model) * 4 * double(parts);
  const bool split = parts > 1;
  std::vector<GpuLaunch> launches = {
      launch_of(k, {k.ffn.variant.gated ? "gate/up" : "up", "_hidden", hidden_tile(k, point), d_ff,
                    padded(shape.d_model), 1, 2}),
      launch_of(k, {"down", "_down", down_tile(k, point), d_model, padded(shape.d_ff), parts,
                    split ? 4 : 2})};
  launches[0].input_bytes = rows_bytes(k);
  launches[1].input_bytes = hidden;
  launches[0].memory_bytes += rows_bytes(k) + from_memory(hidden, l2_bytes);
  launches[1].memory_bytes +=
      from_memory(hidden, l2_bytes) + (split ? from_memory(sums, l2_bytes) : output_bytes(k));
  if (!split) return launches;
  GpuLaunch sum{"sum", "_sum"};
  sum.blocks = k.rows.tuned_rows * ceil_div(shape.d_model, int64_t{kSumThreads} * kChunk);
  sum.block = {kSumThreads, kSumRegisters, 0};
  sum.work.read_bytes = sums / double(sum.blocks);
  sum.work.written_bytes = output_bytes(k) / double(sum.blocks);
  sum.work.lines = (sum.work.read_bytes + sum.work.written_bytes) / kLine;
  sum.work.issued = kValueInstructions * kChunk * kSumThreads / kWarpThreads;
  sum.work.loads = 1;
  sum.memory_bytes = output_bytes(k) + from_memory(sums, l2_bytes);
  launches.push_back(sum);
  return launches;
}

}  // namespace gatefold::gpu
