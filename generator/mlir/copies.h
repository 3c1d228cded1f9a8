#pragma once

#include "generator/mlir/main_loop.h"

namespace gatefold {

/// In which 16-byte chunk of its row a stage holds chunk `chunk` of row `row` of a: an XOR by the
/// row, so that the eight rows of a matrix lie in different banks.
Value swizzled(Builder& b, const GemmTile& tile, Value row, Value chunk);

/// The copies by which the threads of a block fill one stage: a as [row][chunk], swizzled, then
/// each matrix of b as [k / 8][column], where the eight columns of a matrix are 128 bytes in a row
/// as they are in the packed weights.
class StageCopies {
 public:
  /// Works out each thread's addresses, which a step of k moves by the same for all.
  StageCopies(Builder& b, const GemmTile& tile, const GemmOperands& operands);

  /// Copies step `step` of k into the stage at `stage` bytes.
  void issue(Value step, Value stage) const;

 private:
  struct Copy {
    Value from;  ///< of step 0
    Value to;    ///< in the stage
    Value word;  ///< k / 8 in step 0
    int64_t step_bytes;
  };

  void add_rows();
  void add_columns(int matrix);

  Builder& b_;
  const GemmTile& tile_;
  const GemmOperands& operands_;
  Value shared_;
  std::vector<Copy> copies_;
};

}  // namespace gatefold
