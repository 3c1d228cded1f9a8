#include "generator/mlir/main_loop.h"

#include "generator/mlir/copies.h"

namespace gatefold {
namespace {

/// Where the lanes of a warp read their rows of 8x8 matrices in a stage, and the multiplications of
/// one stage.
class WarpTile {
 public:
  WarpTile(Builder& b, const GemmTile& tile) : b_(b), tile_(tile), shared_(b.shared_memory()) {
    lane_ = b.remainder(b.thread(), kWarp);
    const Value warp = b.divide(b.thread(), kWarp);
    row_ = b.multiply(b.divide(warp, tile.warps_n), tile.warp_rows());
    column_ = b.multiply(b.remainder(warp, tile.warps_n), tile.warp_columns());
    // a: matrices (rows 0-7, 8-15) x (k 0-7, 8-15), the rows first.
    const Value row = b.add(row_, b.remainder(lane_, 16));
    for (int step = 0; step < tile.bk / 16; ++step) {
      const Value chunk = b.add(b.divide(lane_, 16), 2 * step);
      const Value place = b.add(b.multiply(row, tile.row_chunks()), swizzled(b, tile, row, chunk));
      a_.push_back(b.multiply(place, kChunkBytes));
    }
    // b: matrices (k 0-7, 8-15) x (columns 0-7, 8-15), k first; a row of one is a column's chunk.
    const Value word = b.remainder(b.divide(lane_, 8), 2);
    const Value in_sixteen = b.add(b.multiply(b.divide(lane_, 16), 8), b.remainder(lane_, 8));
    const Value place = b.add(b.multiply(word, tile.bn), b.add(column_, in_sixteen));
    b_place_ = b.multiply(place, kChunkBytes);
  }

  /// Adds the products of the stage at `stage` bytes to the sums.
  void multiply(Value stage, Values& sums) const {
    const Value b_base = b_.at(shared_, b_.add(stage, b_place_));
    for (size_t step = 0; step < a_.size(); ++step) {
      const Value a_base = b_.at(shared_, b_.add(stage, a_[step]));
      std::vector<Values> rows;
      for (int i = 0; i < tile_.row_products(); ++i) {
        rows.push_back(b_.load_matrices(b_.at(a_base, int64_t{i} * 16 * tile_.bk * 2)));
      }
      for (int matrix = 0; matrix < tile_.matrices; ++matrix) {
        for (int j = 0; j < tile_.column_products(); j += 2) {
          const int64_t chunk = int64_t(step) * 2 * tile_.bn + j * 8;
          const int64_t place =
              tile_.a_bytes() + int64_t{matrix} * tile_.b_bytes() + chunk * kChunkBytes;
          const Values columns = b_.load_matrices(b_.at(b_base, place));
          multiply_pair(rows, columns, matrix, j, sums);
        }
      }
    }
  }

  /// Stores the sums where the epilogue reads them: a thread has two neighbouring columns of a row
  /// and of the row eight further on in each product.
  void stage(const Values& sums) const {
    const Value row = b_.add(row_, b_.divide(lane_, 4));
    const Value column = b_.add(column_, b_.multiply(b_.remainder(lane_, 4), 2));
    const int64_t stride = tile_.staged_stride();
    const Value base = b_.at(shared_, b_.multiply(b_.add(b_.multiply(row, stride), column), 4));
    for (int matrix = 0; matrix < tile_.matrices; ++matrix) {
      for (int i = 0; i < 2 * tile_.row_products(); ++i) {
        for (int j = 0; j < tile_.column_products(); ++j) {
          const size_t at = first_sum(matrix, i / 2, j) + size_t(i % 2) * 2;
          const int64_t place = (int64_t{matrix} * tile_.bm + i * 8) * stride + j * 8;
          b_.store(b_.at(base, place * 4), {sums[at], sums[at + 1]});
        }
      }
    }
  }

 private:
  size_t first_sum(int matrix, int i, int j) const {
    return size_t(((matrix * tile_.row_products() + i) * tile_.column_products() + j) * 4);
  }

  void multiply_pair(const std::vector<Values>& rows, const Values& columns, int matrix, int j,
                     Values& sums) const {
    for (int half = 0; half < 2; ++half) {
      const Values b(columns.begin() + 2 * half, columns.begin() + 2 * half + 2);
      for (int i = 0; i < tile_.row_products(); ++i) {
        const auto first = sums.begin() + int64_t(first_sum(matrix, i, j + half));
        const Values next = b_.multiply_matrices(rows[size_t(i)], b, Values(first, first + 4));
        std::copy(next.begin(), next.end(), first);
      }
    }
  }

  Builder& b_;
  const GemmTile& tile_;
  Value shared_, lane_, row_, column_, b_place_;
  Values a_;
};

class MmaSyncLoop : public MainLoop {
 public:
  void emit(Builder& b, const GemmTile& tile, const GemmOperands& operands) const override {
    const StageCopies copies(b, tile, operands);
    const WarpTile warp(b, tile);
    const int ring = tile.stages * tile.stage_bytes(), ahead = tile.stages - 1;
    const auto issue = [&](Value step, Value stage) {
      b.when(b.less(step, operands.steps), [&] { copies.issue(step, stage); });
      // Empty groups too, so that a wait counts steps.
      b.commit_copies();
    };
    for (int s = 0; s < ahead; ++s) {
      issue(b.add(operands.step0, s), b.constant(s * tile.stage_bytes()));
    }
    const auto next = [&](Value stage) {
      const Value moved = b.add(stage, tile.stage_bytes());
      return b.select(b.less(moved, b.constant(ring)), moved, b.constant(0));
    };
    Values carried(size_t(tile.sums()), b.number(0));
    carried.push_back(b.constant(0));
    carried.push_back(b.constant(ahead * tile.stage_bytes()));
    const auto turn = [&](Value step, const Values& now) {
      Values sums(now.begin(), now.end() - 2);
      const Value reads = now[now.size() - 2], writes = now.back();
      b.wait_for_copies(tile.stages - 2);
      // Makes everybody's copies visible, and frees the stage that was read in the last turn.
      b.barrier();
      issue(b.add(step, ahead), writes);
      warp.multiply(reads, sums);
      sums.push_back(next(reads));
      sums.push_back(next(writes));
      return sums;
    };
    const Values done = b.loop(operands.step0, operands.steps, carried, turn);
    // The sums take the stages' place once no warp reads those and no copy is under way.
    b.wait_for_copies(0);
    b.barrier();
    warp.stage(Values(done.begin(), done.end() - 2));
    b.barrier();
  }
};

}  // namespace

std::unique_ptr<MainLoop> mma_sync_loop() { return std::make_unique<MmaSyncLoop>(); }

}  // namespace gatefold
