#include "schedules/cpu_schedule.h"

namespace gatefold::cpu {
namespace {

using namespace Halide;

/// Rows of the padded hidden layer and of x stored by rows are one vector longer than needed: with
/// strides that are powers of two all rows of a tile would fall in one set of the L1 cache.
constexpr int kRowPadding = 16;

/// What Halide takes from the stack if it knows the size. An allocation in every task is 5 % of the
/// time of few rows (Zen 4, 2048x768, 8 rows).
constexpr int64_t kMostStackBytes = 16 << 10;

struct Shaper {
  FfnStages& s;
  const SchedulePoint& point;
  const Choices& choices;
  int lanes;       ///< of one register of sums
  bool many_rows;  ///< enough rows for packing x on several threads to pay

  void bound_rows(Func f, const Var& rows, int64_t each, int64_t columns);
  void product(Projection& p);
  void fix_tile(const Projection& p, Func f);
  void tile_loops(Projection& p, Stage stage);
  void flat(Projection& p);
  void output();
  void x_packed();
  void slices();
  void unfused_hidden();
};

/// Registers: (vector, vectors of the panel, streams, rows), all unrolled.
void unroll_tile(const FfnStages& s, Stage stage, int columns) {
  stage.vectorize(s.ni, columns).unroll(s.ni).unroll(s.v).unroll(s.mi);
}

/// Tiles at the edge keep their full size: only then are the accumulators registers.
void Shaper::fix_tile(const Projection& p, Func f) {
  f.bound_extent(s.ni, s.kernel.packing.panel).bound_extent(s.v, int(p.streams.size()));
  f.bound_extent(s.mi, point.mr).bound_extent(s.no, 1);
}

/// Gives what a task keeps of its rows, `each` of them at one value of `rows`, a size that is known
/// where no call or row block has more than fit on the stack.
void Shaper::bound_rows(Func f, const Var& rows, int64_t each, int64_t columns) {
  const int64_t most = point.mb > 0 ? int64_t{point.mb} * point.mr : s.kernel.rows.rows_max;
  if (s.streamed() || most > kMostStackBytes) return;
  const int64_t tiles = (most + point.mr - 1) / point.mr;
  if (tiles * point.mr * columns * int64_t{sizeof(float)} > kMostStackBytes) return;
  f.bound_storage(rows, int(tiles * point.mr / each));
}

/// Accumulators live in registers for one row tile, or in L1 over the k-blocks of all row tiles.
void Shaper::product(Projection& p) {
  if (p.sum.defined()) {
    p.sum.compute_at(p.out, s.no);
    bound_rows(p.sum, s.mo, point.mr, s.kernel.packing.panel * int64_t(p.streams.size()));
    fix_tile(p, p.sum);
    unroll_tile(s, p.sum, choices.columns);
    Stage update = p.sum.update();
    update.reorder(s.ni, s.v, s.mi, s.mo, p.blocks.x);
    unroll_tile(s, update, choices.columns);
    if (!(s.streamed() && &p == &s.down)) p.part.compute_at(p.sum, s.mo);
  } else {
    p.part.compute_at(p.out, s.mo);
  }
  fix_tile(p, p.part);
  p.part.bound_extent(s.mo, 1);
  unroll_tile(s, p.part, choices.columns);
  tile_loops(p, p.part.update());
}

/// The hot loop: one 64-byte line of every stream per step.
void Shaper::tile_loops(Projection& p, Stage update) {
  HotLoop loop{update, p.k.x, p.k.y, p.k.z, Var("vector")};
  update.split(s.ni, s.ni, loop.vector, choices.columns);
  choices.multiply(s, p, loop);
  update.vectorize(loop.vector).unroll(s.ni).unroll(s.v).unroll(s.mi).unroll(loop.words);
  if (point.pf == 0) return;
  for (ImageParam& stream : p.streams) {
    // Never more than one line per prefetch: Halide 21 steps a wider box by elements, not bytes.
    update.prefetch(stream, loop.iteration, loop.iteration, point.pf,
                    PrefetchBoundStrategy::NonFaulting);
  }
}

/// A flat stage (n, m) that reads one projection, in whole tiles: panel group > row tile >
/// registers.
void Shaper::flat(Projection& p) {
  const int panel = s.kernel.packing.panel, group = panel * p.panels_per_matrix;
  const TailStrategy whole = TailStrategy::RoundUp;
  const bool by_tiles = p.out.name() == s.down.input.name();
  const Var n = by_tiles ? s.kq : s.n;
  Var inner("inner");
  p.out.align_bounds(n, group).split(n, s.no, inner, group, whole);
  p.out.split(inner, s.v, s.ni, panel, whole);
  if (by_tiles) {
    p.out.reorder_storage(choices.tile_order).bound(s.kk, 0, 1).bound(s.mi, 0, point.mr);
  } else {
    p.out.split(s.m, s.mo, s.mi, point.mr, whole);
  }
  p.out.reorder(s.ni, s.v, s.mi, s.mo, s.no)
      .vectorize(s.ni, choices.columns, whole)
      .unroll(s.ni)
      .unroll(s.v)
      .unroll(s.mi)
      .never_partition_all();
  product(p);
}

/// y takes one panel group of all rows (or of a row block) at a time from whole tiles in cache.
/// Only this copy knows the edges: guards beside unrolled tiles cost registers, and Halide 21 lost
/// the predicate of tiles that lie wholly outside. No tail may be shifted inwards: where the
/// residual is y, going over an element again would add it twice.
void Shaper::output() {
  Var column("column");
  const int group = s.kernel.packing.panel * s.down.panels_per_matrix;
  s.y.split(s.n, s.no, column, group, TailStrategy::GuardWithIf);
  std::vector<VarOrRVar> order = {column, s.m, s.no};
  if (point.mb > 0) {
    s.y.split(s.m, s.row_block, s.m, point.mb * point.mr, TailStrategy::GuardWithIf);
    order.push_back(s.row_block);
  }
  s.y.reorder(order).vectorize(column, lanes, TailStrategy::GuardWithIf).parallel(s.no);
  s.y.never_partition_all();
  s.down.out.compute_at(s.y, s.no);
  bound_rows(s.down.out, s.m, 1, group);
  flat(s.down);
}

void Shaper::x_packed() {
  Func& f = s.x_packed;
  f.compute_root().bound(s.kk, 0, s.kernel.packing.pair).bound(s.mi, 0, point.mr).unroll(s.kk);
  if (point.xpack) {
    f.reorder_storage(choices.tile_order);
    f.reorder({choices.tile_order.begin(), choices.tile_order.end()});
  } else {
    f.bound_storage(s.kq, s.first[0].streams[0].dim(2).extent() + kRowPadding);
    f.reorder(s.kk, s.kq, s.mi, s.mo);
  }
  if (many_rows) f.parallel(s.mo);
}

/// A slice of d_ff is one task: its hidden columns, which stay in cache, and what they add to all
/// of y. y adds the slices in their order, whichever thread made them: its bits do not depend on
/// threads.
void Shaper::slices() {
  Projection& down = s.down;
  Func slice = down.part.in(down.sum);
  slice.compute_at(s.y, s.row_block)
      .reorder(s.ni, s.v, s.mi, s.mo, s.no, s.kv)
      .bound_extent(s.ni, s.kernel.packing.panel)
      .bound_extent(s.v, int(down.streams.size()))
      .bound_extent(s.mi, point.mr)
      .parallel(s.kv);
  unroll_tile(s, slice, choices.columns);
  down.part.compute_at(slice, s.mo);
  s.first[0].out.compute_at(slice, s.kv);
}

/// The control: gate, up and the activation each on their own, in memory between.
void Shaper::unfused_hidden() {
  Var chunk("chunk"), column("column");
  constexpr int kColumns = 512;
  const bool by_tiles = choices.hidden_by_tiles;
  Func h = by_tiles ? s.down.input : s.hidden;
  h.compute_root().split(by_tiles ? s.kq : s.n, chunk, column, kColumns, TailStrategy::GuardWithIf);
  if (by_tiles) {
    h.reorder_storage(choices.tile_order).reorder(column, s.mi, s.mo, chunk);
  } else {
    h.reorder(column, s.m, chunk);
  }
  h.vectorize(column, lanes, TailStrategy::GuardWithIf).parallel(chunk);
}

}  // namespace

void multiply_by_vectors(const FfnStages& s, HotLoop& loop) {
  loop.update.reorder(
      {loop.vector, s.ni, s.v, s.mi, loop.pair, loop.words, loop.iteration, s.mo, s.no, s.kv});
  loop.update.unroll(loop.pair);
}

void schedule_tiles(FfnStages& s, Choices choices) {
  const KernelSpec& k = s.kernel;
  // hidden itself is part of that then.
  if (choices.hidden_by_tiles && !s.unfused()) s.first[0].out = s.down.input;
  Shaper shape{s, k.point, choices, sum_lanes(k), k.rows.tuned_rows > 32};
  shape.x_packed();
  shape.output();
  if (s.unfused()) shape.unfused_hidden();
  if (s.streamed()) shape.slices();
  for (Projection& p : s.first) shape.flat(p);
  if (s.streamed()) return;  // slices() has placed the hidden layer, in a task of its own already
  for (Projection& p : s.first) {
    if (k.point.mb > 0) {
      p.out.compute_at(s.y, s.row_block);
    } else {
      p.out.compute_root();
    }
    p.out.parallel(s.no);
  }
  if (choices.hidden_by_tiles) return;
  // The first projection writes whole panel groups, at the edge more columns than down reads.
  const int group = k.packing.panel * s.first[0].panels_per_matrix;
  s.hidden.bound_storage(s.n, (s.hidden_columns + group - 1) / group * group + kRowPadding);
}

}  // namespace gatefold::cpu
