#include "tuning/cost_tile.h"

#include <cmath>

#include "schedules/cpu_space.h"

namespace gatefold {
namespace {

constexpr double kPrefetchInstructions = 2;  // the prefetch, and its address

/// The widening of one line of every stream. bf16 stands in pairs: one is shifted up, the other
/// masked. f16 is converted by an instruction that loads and shuffles.
void add_widening(const KernelSpec& k, double weight_loads, TileWork& work) {
  switch (k.ffn.dtype) {
    case DType::f32:
      return;
    case DType::bf16:
      if (!uses_bf16_dot(k.ffn, k.target)) work.instructions += 2 * weight_loads;
      return;
    case DType::f16:
      if (k.ffn.accumulate == DType::f16) return;
      work.shuffles += weight_loads;
      work.instructions += weight_loads;  // it counts as two
      return;
  }
}

TileWork x86_tile_work(const KernelSpec& k) {
  const double vectors = weight_vectors(k), rows = k.point.mr;
  const bool dot = uses_bf16_dot(k.ffn, k.target);
  // Steps at which every accumulator is added to once; a dot instruction takes a pair in one.
  const double steps = k.packing.k_step * (dot ? 1 : k.packing.pair);
  const double weight_loads = vectors * k.packing.k_step;
  TileWork work;
  work.multiply_adds = rows * vectors * steps;
  work.loads = weight_loads + rows * steps;
  work.instructions = work.multiply_adds + work.loads + kLoopInstructions / k.point.unroll;
  work.chain = steps;
  // One vector of weights: the compiler multiplies into the broadcast's register, which makes two
  // of each accumulator, and from half the registers on spills (256 bits: from 8 rows).
  work.spills = vectors == 1 && 2 * rows >= info(k.target).vector_registers;
  add_widening(k, weight_loads, work);
  return work;
}

}  // namespace

int weight_vectors(const KernelSpec& k) { return cpu::vectors(k); }

int accumulators(const KernelSpec& k) { return k.point.mr * weight_vectors(k); }

TileWork tile_work(const KernelSpec& k, bool by_rows) {
  const bool arm = info(k.target).arch == Arch::arm64;
  TileWork work = arm ? arm64_tile_work(k, by_rows) : x86_tile_work(k);
  if (k.point.pf > 0) {
    work.loads += k.point.streams;
    work.instructions += kPrefetchInstructions * k.point.streams;
  }
  return work;
}

/// The largest of what each part of the core needs; two that need equally long get in each other's
/// way, hence a norm instead of the maximum.
double tile_cycles(const TileWork& w, const CostConstants& c) {
  const double vector_work = w.multiply_adds + (c.one_kind_of_pipe ? w.shuffles : 0);
  const double bounds[] = {vector_work / c.fma_per_cycle, w.loads / c.loads_per_cycle,
                           w.instructions / c.instructions_per_cycle,
                           w.shuffles / c.shuffles_per_cycle,
                           w.chain * (c.fma_latency + (w.spills ? c.spill_latency : 0))};
  double sum = 0;
  for (double bound : bounds) sum += std::pow(bound, c.smoothing);
  return std::pow(sum, 1 / c.smoothing);
}

}  // namespace gatefold
