#pragma once

#include <functional>

#include "generator/mlir/builder.h"
#include "generator/mlir/scalar_program.h"
#include "generator/mlir/tile.h"
#include "spec/ffn_spec.h"

namespace gatefold {

/// What becomes of the sums that a main loop left in shared memory. Everything here goes by groups
/// of eight columns of a row, which a thread reads, works on and stores as 16 or 32 bytes; the code
/// of the activation stands there eight times, whatever the tile.

/// Calls body(row, column, sums of each matrix) for the groups of this thread: row and the first
/// column as those of the whole result.
using Group = std::function<void(Value row, Value column, const std::vector<Values>& sums)>;
void for_each_group(Builder& b, const GemmTile& tile, Value row0, Value column0, const Group& body);

/// hidden = act(gate + bias) * (up + bias), rounded once; 0 from d_ff on.
void store_hidden(Builder& b, const FfnSpec& ffn, const ScalarProgram& activation, Value row,
                  Value column, const std::vector<Values>& sums);

/// y = residual + (sums + bias), rounded once. Addresses and strides of y and the residual are any
/// that 16-bit values may have; whole groups that are aligned go by 16 bytes.
class OutputStore {
 public:
  OutputStore(Builder& b, const FfnSpec& ffn);
  /// The row is one of y's.
  void store(Value row, Value column, Values sums) const;

 private:
  Value element(const char* base, const char* stride, Value row, Value column) const;
  Value is_aligned(const char* base, const char* stride) const;
  Values residual(Value row, Value column, Value whole) const;

  Builder& b_;
  const FfnSpec& ffn_;
  Value y_aligned_, residual_aligned_;
};

/// partial[split][row][column] of this block's split.
void store_partial(Builder& b, Value row, Value column, const Values& sums);
/// The sum over the splits, in their order.
Values load_partial(Builder& b, int splits, Value row, Value column);

}  // namespace gatefold
