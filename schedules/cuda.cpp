#include "schedules/cuda.h"

#include <numeric>

#include "schedules/cuda_space.h"

namespace gatefold {
namespace {

using namespace Halide;
using namespace device;

/// f32 that a thread loads at once.
constexpr int kLanes = 4;

/// One kernel for each of: x (packed), the hidden layer, the down projection in tiles, y. Weights
/// go from memory to registers, 16 bytes of a column a thread, a whole panel a block: each is used
/// by one thread only, unless there are many rows.
/// Nothing is staged in shared memory for many rows either: a thread uses its weights for all rows
/// of its tile, and what it reads of x is what its whole warp reads, so staging would save none of
/// the loads into registers that such a tile is bound by. 16 rows by 4 streams take 128 registers
/// with f32 on sm_80 and at most 241 with 16 bits on sm_90 (ptxas 13.0), no spills, in blocks of
/// 256 threads.
class Shaper {
 public:
  explicit Shaper(FfnStages& stages)
      : s(stages),
        point(s.kernel.point),
        panel(s.kernel.packing.panel),
        tiles(tiles_of_block(s.kernel)),
        row_threads(std::gcd(point.mr, point.ks)) {}

  void x_packed();
  void inner_stage(Projection& p);
  void unfused_hidden();
  void output();

 private:
  void by_tiles(Func out, int streams);
  void add_slices(Projection& p, Func total, Func consumer);
  void accumulate(Projection& p, Func consumer);
  void load_words(Projection& p, const RVar& word, int ahead);
  void load_rows(Projection& p, int ahead);
  void down_tiles();
  void sum_over_grid();
  int rows_of_y() const { return std::gcd(point.mr, 1024 / threads_of_group()); }
  int threads_of_group() const { return panel * s.down.panels_per_matrix; }

  FfnStages& s;
  const SchedulePoint& point;
  int panel;
  int tiles;        ///< row tiles of one block of threads
  int row_threads;  ///< threads that share the rows of a tile when the slices are added
  Var row{"row"}, tile{"tile"};
};

/// x as f32, k of one row in succession and padded with zeros, so that the hot loop knows no edge.
/// Rows stand along the first dimension of the grid, the only one that may exceed 65535.
void Shaper::x_packed() {
  Func& f = s.x_packed;
  if (point.xpack == 0) return;  // read from x by every block of threads
  constexpr int kThreads = 256;
  const int pair = s.kernel.packing.pair;
  Var chunk("chunk"), word("word"), lane("lane"), rows("rows");
  f.compute_root().bound(s.kk, 0, pair).bound(s.mi, 0, point.mr);
  f.split(s.kq, chunk, word, kThreads / pair, TailStrategy::RoundUp)
      .fuse(s.kk, word, lane)
      .fuse(s.mi, s.mo, rows)
      .reorder(lane, rows, chunk)
      .gpu_threads(lane)
      .gpu_blocks(rows, chunk)
      .never_partition_all();
}

/// The loops of a stage of tiles: blocks of panel groups and row tiles; in them threads of columns,
/// rows of a tile, tiles. Neighbouring blocks share their weights, not their rows.
void Shaper::by_tiles(Func out, int streams) {
  out.compute_root().bound(s.ni, 0, panel).bound(s.v, 0, streams).bound(s.mi, 0, point.mr);
  out.split(s.mo, s.mo, tile, tiles, TailStrategy::RoundUp)
      .split(s.mi, row, s.mi, point.mr / row_threads, TailStrategy::RoundUp)
      .reorder({s.v, s.mi, s.ni, row, tile, s.mo, s.no})
      .unroll(s.v)
      .unroll(s.mi)
      .gpu_threads(s.ni, row, tile)
      .gpu_blocks(s.mo, s.no)
      .never_partition_all();
}

/// One thread's sums, in registers: all rows of a tile by one column of every stream.
void Shaper::accumulate(Projection& p, Func consumer) {
  const int ahead = words_ahead(s.kernel);
  RVar word("word"), inner("inner");
  p.part.compute_at(consumer, s.ni);
  p.part.bound_extent(s.ni, 1).bound_extent(s.v, int(p.streams.size()));
  p.part.bound_extent(s.mi, point.mr).bound_extent(s.mo, 1).bound_extent(s.no, 1);
  p.part.bound_extent(s.kv, 1).unroll(s.v).unroll(s.mi);
  p.part.update()
      .split(p.k.y, word, inner, ahead)
      .reorder({s.v, p.k.x, inner, s.mi, word, p.k.z, s.ni, s.mo, s.no, s.kv})
      .unroll(s.v)
      .unroll(p.k.x)
      .unroll(inner)
      .unroll(s.mi);
  load_words(p, word, ahead);
  load_rows(p, ahead);
}

/// All weights of an iteration before the first is used: as many loads as can be under way at once.
void Shaper::load_words(Projection& p, const RVar& word, int ahead) {
  for (ImageParam& stream : p.streams) {
    Func words = stream.in(p.part);
    words.compute_at(p.part, word).bound_extent(_0, kLanes).bound_extent(_2, ahead);
    words.bound_extent(_1, 1).bound_extent(_3, 1).vectorize(_0, kLanes).unroll(_2);
  }
}

/// Rows one after the other, since only one is multiplied at a time. All threads of a warp read the
/// same 16 bytes, which the cache gives them at once.
void Shaper::load_rows(Projection& p, int ahead) {
  Func rows = p.input.in(p.part);
  rows.compute_at(p.part, s.mi);
  rows.bound_extent(s.kk, s.kernel.packing.pair).bound_extent(s.kq, ahead);
  rows.bound_extent(s.mi, 1).bound_extent(s.mo, 1);
  rows.vectorize(s.kk, kLanes).unroll(s.kk).unroll(s.kq);
}

/// The slices of k that a block of threads has summed, added in their order by the threads that
/// take them on.
void Shaper::add_slices(Projection& p, Func total, Func consumer) {
  const RVar slice = total.rvars(0).at(0);
  const int streams = int(p.streams.size());
  total.compute_at(consumer, s.ni).bound_extent(s.ni, 1).bound_extent(s.v, streams);
  total.bound_extent(s.mi, point.mr / row_threads).bound_extent(s.mo, 1).bound_extent(s.no, 1);
  total.unroll(s.v).unroll(s.mi);
  total.update().reorder({s.v, s.mi, slice}).unroll(s.v).unroll(s.mi).unroll(slice);
  Func shared = p.part.in(total);
  shared.compute_at(consumer, s.mo).store_in(MemoryType::GPUShared);
  shared.bound_extent(s.ni, panel).bound_extent(s.v, streams).bound_extent(s.mi, point.mr);
  shared.bound_extent(s.mo, tiles).bound_extent(s.no, 1).bound_extent(s.kv, point.ks);
  shared.reorder({s.v, s.mi, s.ni, s.kv, s.mo, s.no})
      .unroll(s.v)
      .unroll(s.mi)
      .gpu_threads(s.ni, s.kv, s.mo);
  accumulate(p, shared);
}

/// Gate, up or the hidden layer.
void Shaper::inner_stage(Projection& p) {
  by_tiles(p.out, p.panels_per_matrix);
  p.sum.defined() ? add_slices(p, p.sum, p.out) : accumulate(p, p.out);
}

/// The control: gate, up and the activation each on their own, in memory between.
void Shaper::unfused_hidden() {
  Var rows("rows");
  s.hidden.compute_root().bound(s.ni, 0, panel).bound(s.v, 0, s.first[0].panels_per_matrix);
  s.hidden.bound(s.mi, 0, point.mr)
      .fuse(s.mi, s.mo, rows)
      .reorder({s.ni, s.v, rows, s.no})
      .gpu_threads(s.ni, s.v)
      .gpu_blocks(rows, s.no)
      .never_partition_all();
}

/// The down projection in whole tiles, in memory. d_ff is parted over the grid where d_model alone
/// has too few columns to fill a device; y then adds the parts in their order: no atomic addition,
/// so the same input gives the same bits.
void Shaper::down_tiles() {
  Projection& p = s.down;
  const bool over_grid = slices_of_grid(s.kernel) > 1;
  Var part_of_grid("part_of_grid");
  Func total = p.sum;
  if (over_grid && point.ks > 1) {
    RVar outer("outer"), within("within");
    p.sum.update().split(p.blocks.x, outer, within, point.ks);
    total = p.sum.update().rfactor(outer, part_of_grid);
  }
  const Func reader = over_grid ? p.sum : p.out;
  Func tiles_of_down = point.ks > 1 ? total.in(reader) : p.part.in(reader);
  by_tiles(tiles_of_down, int(p.streams.size()));
  if (over_grid) {
    const Var slice = point.ks > 1 ? part_of_grid : s.kv;
    tiles_of_down.bound(slice, 0, point.slices).gpu_blocks(slice);
  }
  point.ks > 1 ? add_slices(p, total, tiles_of_down) : accumulate(p, tiles_of_down);
  if (over_grid) sum_over_grid();
}

/// In whole tiles; y's threads take from them what is within its edges. Not row by row: of rows
/// modulo tiles Halide infers whole tiles anyway.
void Shaper::sum_over_grid() {
  Projection& p = s.down;
  Func tile_of_y = p.sum.in(p.out);
  tile_of_y.compute_at(s.y, s.mo).store_in(MemoryType::GPUShared);
  tile_of_y.bound_extent(s.ni, panel).bound_extent(s.v, int(p.streams.size()));
  tile_of_y.bound_extent(s.mi, point.mr).bound_extent(s.mo, 1).bound_extent(s.no, 1);
  tile_of_y.split(s.mi, row, s.mi, point.mr / rows_of_y(), TailStrategy::RoundUp)
      .reorder({s.mi, s.ni, s.v, row, s.mo, s.no})
      .gpu_threads(s.ni, s.v, row);
  p.sum.compute_at(tile_of_y, s.mi).bound_extent(s.ni, 1).bound_extent(s.v, 1);
  p.sum.bound_extent(s.mi, 1).bound_extent(s.mo, 1).bound_extent(s.no, 1);
  p.sum.update().unroll(p.sum.rvars(0).at(0));
}

/// Only y knows the edges of the caller's rows. No tail may be shifted inwards: where the residual
/// is y, going over an element again would add it twice.
void Shaper::output() {
  Var inner("inner");
  s.y.split(s.n, s.no, inner, panel * s.down.panels_per_matrix, TailStrategy::GuardWithIf)
      .split(inner, s.v, s.ni, panel, TailStrategy::RoundUp)
      .split(s.m, s.mo, s.mi, point.mr, TailStrategy::GuardWithIf)
      .split(s.mi, row, s.mi, point.mr / rows_of_y(), TailStrategy::RoundUp)
      .reorder({s.mi, s.ni, s.v, row, s.mo, s.no})
      .gpu_threads(s.ni, s.v, row)
      .gpu_blocks(s.mo, s.no)
      .never_partition_all();
  down_tiles();
}

}  // namespace

void schedule_device(FfnStages& s) {
  Shaper shape(s);
  shape.x_packed();
  for (Projection& p : s.first) shape.inner_stage(p);
  if (s.unfused()) shape.unfused_hidden();
  shape.output();
}

}  // namespace gatefold
