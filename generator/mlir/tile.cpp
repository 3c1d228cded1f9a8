#include "generator/mlir/tile.h"

namespace gatefold {
namespace {

GemmTile tile_of(const KernelSpec& kernel, const TensorCorePoint& p, int matrices, int bn) {
  return {matrices, p.bm, bn, p.bk, p.stages, p.warps_m, p.warps_n, kernel.packing.panel};
}

}  // namespace

GemmTile hidden_tile(const KernelSpec& kernel, const TensorCorePoint& point) {
  return tile_of(kernel, point, kernel.ffn.variant.gated ? 2 : 1, point.bn);
}

GemmTile down_tile(const KernelSpec& kernel, const TensorCorePoint& point) {
  return tile_of(kernel, point, 1, kernel.ffn.variant.gated ? 2 * point.bn : point.bn);
}

int estimated_registers(const GemmTile& tile) {
  constexpr int kRest = 40;
  const int fragments = 4 * tile.row_products() + 16;
  const int chunks = (tile.bm + tile.matrices * tile.bn) * tile.row_chunks();
  const int addresses = 2 * (chunks / tile.threads());
  return tile.sums() + fragments + addresses + kRest;
}

}  // namespace gatefold
