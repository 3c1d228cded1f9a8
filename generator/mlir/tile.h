#pragma once

#include "generator/mlir/tensor_core_point.h"

namespace gatefold {

/// 16-bit values of one 16-byte chunk: what a copy moves and a row of an 8x8 matrix holds.
inline constexpr int kChunk = 8;
inline constexpr int kChunkBytes = 16;
inline constexpr int kWarp = 32;

/// The tile that one block of a product computes: rows by columns of one matrix, or of two side by
/// side, in steps of bk. Everything here is a number at generation.
struct GemmTile {
  int matrices = 1;
  int bm = 0, bn = 0, bk = 0, stages = 0, warps_m = 0, warps_n = 0;
  int panel = 64;  ///< columns of one panel of the packed weights

  int threads() const { return warps_m * warps_n * kWarp; }
  int warp_rows() const { return bm / warps_m; }
  int warp_columns() const { return bn / warps_n; }
  /// Products of mma m16n8k16 in one warp: down its rows and along its columns.
  int row_products() const { return warp_rows() / 16; }
  int column_products() const { return warp_columns() / 8; }
  /// f32 sums that a thread holds.
  int sums() const { return matrices * row_products() * column_products() * 4; }

  int row_chunks() const { return bk / kChunk; }  ///< of one row, or one column, in a stage
  int a_bytes() const { return bm * bk * 2; }
  int b_bytes() const { return bn * bk * 2; }  ///< of one matrix
  int stage_bytes() const { return a_bytes() + matrices * b_bytes(); }

  /// The finished sums stand in shared memory [matrix][row][staged_stride] for the epilogue. Eight
  /// floats more than the columns put neighbouring rows into other banks.
  int staged_stride() const { return bn + 8; }
  int staged_bytes() const { return matrices * bm * staged_stride() * 4; }
  /// The sums take the place of the stages once those are read.
  int shared_bytes() const {
    const int pipeline = stages * stage_bytes();
    return pipeline > staged_bytes() ? pipeline : staged_bytes();
  }
};

GemmTile hidden_tile(const KernelSpec& kernel, const TensorCorePoint& point);
GemmTile down_tile(const KernelSpec& kernel, const TensorCorePoint& point);

/// Registers of a thread, estimated: its sums, what two steps of k hold, addresses and the rest.
/// ptxas gives 230 where this says 208 (128x64 by 4 warps, two matrices).
int estimated_registers(const GemmTile& tile);

}  // namespace gatefold
