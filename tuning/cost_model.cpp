#include "tuning/cost_model.h"

#include <algorithm>
#include <cmath>

#include "tuning/cost_call.h"
#include "tuning/cost_tile.h"
#include "tuning/roofline.h"

namespace gatefold {
namespace {

constexpr double kNearBound = 1.03;
constexpr double kActivationCycles = 12;  // of one vector: exp and a division, or less
constexpr double kPackCycles = 2;         // of one value of x: scalar, guarded

/// Weights that are read again for the next row block are where all of them fit.
Reach weights_of_later_passes(const Call& call) {
  const int64_t bytes = packed_weight_bytes(call.kernel.ffn, call.kernel.packing);
  return reach_of(static_cast<double>(bytes), call.machine.cpu, 1);
}

Walk walk_of(const Call& call, const Product& p) {
  const CostConstants& c = call.constants();
  const double hot = p.block_lines * tile_cycles(tile_work(call.kernel, p.by_rows), c);
  const double around = c.run_overhead + c.vector_overhead * accumulators(call.kernel);
  return {hot, hot + around + input_cycles(call.kernel, p, call.machine)};
}

/// Cycles of one panel group over all rows of a pass.
double group_cycles(const Call& call, const Product& p) {
  const Walk walk = walk_of(call, p);
  const double blocks = p.lines / p.block_lines;
  return call.constants().task_overhead + blocks * block_cycles(call.kernel, p, call.machine, walk);
}

/// The slowest thread's share of equal tasks.
double share(const Call& call, double tasks) {
  return std::ceil(tasks / call.machine.threads) / tasks;
}

double region_cycles(const Call& call) {
  const CostConstants& c = call.constants();
  return 1e3 * c.ghz * (call.machine.threads > 1 ? c.shared_region_us : c.region_us);
}

/// All panel groups of a product as the tasks of one parallel loop.
double product_cycles(const Call& call, const Product& p) {
  return group_cycles(call, p) * p.groups * share(call, p.groups) + region_cycles(call);
}

/// The first pass brings the weights from memory, a later one from where they stayed.
double product_of_all_passes(const Call& call, Product p) {
  const double first = product_cycles(call, p);
  const double more = call.passes() - 1;
  if (more == 0) return first;
  p.weights = weights_of_later_passes(call);
  return first + more * product_cycles(call, p);
}

/// f32 elements that go once through what holds `bytes`, in vectors, on all threads.
double pass_cycles(const Call& call, double elements, double bytes, double cycles_per_vector) {
  const Reach reach = reach_of(bytes, call.machine.cpu, 1);
  const double line = line_cycles(call.constants(), reach, memory_line(call.machine, 4));
  return (elements / call.lanes * cycles_per_vector + elements / 16 * line) / call.machine.threads;
}

/// The activation, and the hidden layer's way to where down reads it.
double hidden_cycles(const Call& call) {
  const double elements = call.rows * call.d_ff();
  const double bytes = call.rows_of_pass() * call.d_ff() * call.hidden_element();
  const double cycles = pass_cycles(call, elements, bytes, kActivationCycles);
  if (call.point().fusion != Fusion::unfused) return cycles;
  // Gate and up are stored and read again.
  const double matrices = call.kernel.ffn.variant.matrices() - 1;
  return cycles + 2 * matrices * pass_cycles(call, elements, matrices * bytes, 1) +
         region_cycles(call);
}

/// x is packed value by value; many rows on all threads (schedules/cpu_schedule.cpp).
double packing_cycles(const Call& call) {
  const double values = call.rows * call.d_model() * kPackCycles;
  return call.rows > 32 ? values / call.machine.threads + region_cycles(call) : values;
}

/// y in whole tiles, then copied.
double output_cycles(const Call& call) {
  return pass_cycles(call, call.rows * call.d_model(), 0, 4);
}

/// A slice of d_ff is one task: both products for its columns. What it adds to y is written, and
/// read when the slices are summed.
double streamed_cycles(const Call& call) {
  const double slices = call.point().slices;
  Product first = first_product(call), down = down_product(call);
  first.groups = std::ceil(first.groups / slices);
  down.block_lines = down.lines / slices;
  down.lines = down.block_lines;
  down.input_length /= slices;
  const double each =
      group_cycles(call, first) * first.groups + group_cycles(call, down) * down.groups;
  const double partial = call.rows * call.d_model();
  return each * slices * share(call, slices) + region_cycles(call) +
         2 * slices * pass_cycles(call, partial, 4 * partial * slices, 1);
}

double products_cycles(const Call& call) {
  if (call.point().fusion == Fusion::streamed) return streamed_cycles(call);
  const bool apart = call.point().fusion == Fusion::unfused && call.kernel.ffn.variant.gated;
  return (apart ? 2 : 1) * product_of_all_passes(call, first_product(call)) +
         product_of_all_passes(call, down_product(call));
}

}  // namespace

double predicted_ms(const KernelSpec& kernel, const CpuProfile& cpu, int threads,
                    const CostConstants& constants) {
  const Call call = make_call(kernel, {cpu, std::max(1, threads), constants});
  const double cycles =
      packing_cycles(call) + products_cycles(call) + hidden_cycles(call) + output_cycles(call);
  return cycles / constants.ghz / 1e6;
}

double predicted_ms(const KernelSpec& kernel, const CpuProfile& cpu, int threads) {
  return predicted_ms(kernel, cpu, threads, cost_constants(kernel.target, cpu.core));
}

double lower_bound_ms(const KernelSpec& kernel, const Roof& roof) {
  const int64_t bytes = packed_weight_bytes(kernel.ffn, kernel.packing);
  return roofline(kernel.ffn, kernel.rows.tuned_rows, roof, bytes).ms;
}

bool near_bound(double best_ms, double bound_ms) {
  return bound_ms > 0 && std::isfinite(best_ms) && best_ms <= kNearBound * bound_ms;
}

}  // namespace gatefold
