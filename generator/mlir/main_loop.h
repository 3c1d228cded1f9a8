#pragma once

#include <memory>

#include "generator/mlir/builder.h"
#include "generator/mlir/tile.h"

namespace gatefold {

/// What one block multiplies. Rows beyond `rows` and columns beyond `columns` are read as the last
/// one, so that no address is ever outside; their sums mean nothing.
struct GemmOperands {
  Value a;         ///< rows of 16-bit values
  Value a_stride;  ///< values between two rows, a multiple of 8; rows are 16-byte aligned
  Values b;        ///< packed weights, one or two matrices
  Value words;     ///< k / 8 of both, padding included: a multiple of 4
  Value rows;
  Value columns;        ///< of the packed weights, padding included
  Value row0, column0;  ///< of the tile
  Value step0, steps;   ///< of the k loop: from and to, in steps of bk
};

/// The product of a tile. An implementation is chosen by what the chip has; what follows it, the
/// epilogue, reads the sums from shared memory and knows nothing of it.
class MainLoop {
 public:
  virtual ~MainLoop() = default;
  /// Leaves the f32 sums in shared memory, [matrix][row][staged_stride] from its beginning, visible
  /// to all threads of the block.
  virtual void emit(Builder& b, const GemmTile& tile, const GemmOperands& operands) const = 0;
};

/// mma.sync m16n8k16 on fragments that ldmatrix reads from a ring of stages, which cp.async fills.
std::unique_ptr<MainLoop> mma_sync_loop();

}  // namespace gatefold
