#include "generator/mlir/copies.h"

namespace gatefold {

Value swizzled(Builder& b, const GemmTile& tile, Value row, Value chunk) {
  // Rows of 64 bytes stand two and two in the 128 bytes of all banks.
  const bool wide = tile.row_chunks() == 8;
  const Value by =
      wide ? b.bit_and(row, b.constant(7)) : b.bit_and(b.shift_right(row, 1), b.constant(3));
  return b.bit_xor(chunk, by);
}

StageCopies::StageCopies(Builder& b, const GemmTile& tile, const GemmOperands& operands)
    : b_(b), tile_(tile), operands_(operands), shared_(b.shared_memory()) {
  add_rows();
  for (int matrix = 0; matrix < tile.matrices; ++matrix) add_columns(matrix);
}

void StageCopies::add_rows() {
  const Value last = b_.add(operands_.rows, -1);
  const int chunks = tile_.row_chunks(), threads = tile_.threads();
  for (int first = 0; first < tile_.bm * chunks; first += threads) {
    const Value id = b_.add(b_.thread(), first);
    const Value row = b_.divide(id, chunks), chunk = b_.remainder(id, chunks);
    const Value from_row = b_.least(b_.add(operands_.row0, row), last);
    const Value begin = b_.multiply(b_.widened(from_row), b_.widened(operands_.a_stride));
    const Value value = b_.add(begin, b_.widened(b_.multiply(chunk, kChunk)));
    const Value to = b_.add(b_.multiply(row, chunks), swizzled(b_, tile_, row, chunk));
    copies_.push_back({b_.at(operands_.a, b_.multiply(value, 2)), b_.multiply(to, kChunkBytes),
                       chunk, tile_.bk * 2});
  }
}

void StageCopies::add_columns(int matrix) {
  const Value last = b_.add(operands_.columns, -1);
  const int threads = tile_.threads(), panel = tile_.panel;
  const int64_t place = tile_.a_bytes() + int64_t{matrix} * tile_.b_bytes();
  for (int first = 0; first < tile_.bn * tile_.row_chunks(); first += threads) {
    const Value id = b_.add(b_.thread(), first);
    const Value word = b_.divide(id, tile_.bn);
    const Value column = b_.least(b_.add(operands_.column0, b_.remainder(id, tile_.bn)), last);
    const Value line = b_.add(b_.multiply(b_.divide(column, panel), operands_.words), word);
    const Value chunk =
        b_.add(b_.multiply(b_.widened(line), panel), b_.widened(b_.remainder(column, panel)));
    copies_.push_back({b_.at(operands_.b.at(size_t(matrix)), b_.multiply(chunk, kChunkBytes)),
                       b_.add(b_.multiply(id, kChunkBytes), place), word,
                       int64_t{tile_.row_chunks()} * panel * kChunkBytes});
  }
}

void StageCopies::issue(Value step, Value stage) const {
  const Value far = b_.widened(step);
  for (const Copy& copy : copies_) {
    const Value from = b_.at(copy.from, b_.multiply(far, copy.step_bytes));
    const Value to = b_.at(shared_, b_.add(stage, copy.to));
    if (tile_.bk == 32) {
      // The padding of k ends with a step.
      b_.copy_async(to, from);
      continue;
    }
    const Value word = b_.add(b_.multiply(step, tile_.row_chunks()), copy.word);
    const Value inside = b_.less(word, operands_.words);
    b_.copy_async(to, from, b_.select(inside, b_.constant(kChunkBytes), b_.constant(0)));
  }
}

}  // namespace gatefold
