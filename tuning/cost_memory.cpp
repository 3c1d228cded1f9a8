#include "tuning/cost_memory.h"

#include <algorithm>
#include <cmath>

namespace gatefold {
namespace {

constexpr double kLine = 64;

double beyond(double bytes, int64_t cache) {
  return std::clamp(bytes / static_cast<double>(cache) - 0.5, 0.0, 1.0);
}

/// Bytes of input that one tile reads along one k-block.
double input_bytes(const KernelSpec& k, const Product& p) {
  const double values = k.packing.k_step * k.packing.pair;
  return k.point.mr * p.block_lines * values * p.input_element;
}

double block_bytes(const KernelSpec& k, const Product& p) {
  return k.point.streams * p.block_lines * kLine;
}

/// The part of the shorter of fetch and compute that hides in the longer one. A prefetch that runs
/// too short ahead of its use arrives late.
double overlap(const KernelSpec& k, const CostConstants& c) {
  if (k.point.pf == 0) return c.overlap;
  const double in_time = std::min(1.0, k.point.pf * k.point.streams / c.latency_lines);
  return c.overlap + (c.prefetch_overlap - c.overlap) * in_time;
}

/// Lines of the next block that are under way when the last tile of this one ends.
double lines_ahead(const KernelSpec& k, const Product& p, const CostConstants& c) {
  const double streams = k.point.streams;
  const double asked = std::min<double>(k.point.pf, p.block_lines) * streams;
  return std::max(std::min(asked, c.misses), std::min(c.hardware_ahead, p.block_lines) * streams);
}

double together(double a, double b, double overlap) {
  return std::max(a, b) + (1 - overlap) * std::min(a, b);
}

}  // namespace

Reach reach_of(double bytes, const CpuProfile& cpu, int sharers) {
  return {beyond(bytes, cpu.l1d), beyond(bytes, cpu.l2), beyond(bytes * sharers, cpu.l3)};
}

double memory_line(const Machine& m, int streams, bool prefetch) {
  const CostConstants& c = m.constants;
  const double drawn = streams == 1 ? c.one_stream : streams == 2 ? c.two_streams : 1;
  const double share = m.threads > 1 ? c.shared_dram : 1;
  return kLine / (c.dram_bytes_per_cycle * drawn * share * (prefetch ? c.prefetched : 1));
}

double line_cycles(const CostConstants& c, const Reach& r, double memory) {
  return r.beyond_l1 * c.l2_line + r.beyond_l2 * (c.l3_line - c.l2_line) +
         r.beyond_l3 * (memory - c.l3_line);
}

/// Between two uses of a line of input all rows of the pass are read.
double input_cycles(const KernelSpec& k, const Product& p, const Machine& m) {
  const CostConstants& c = m.constants;
  const Reach r = reach_of(p.rows * p.input_length * p.input_element, m.cpu, m.threads);
  const double start = r.beyond_l1 * c.l2_start + r.beyond_l2 * (c.l3_start - c.l2_start);
  const double lines = input_bytes(k, p) / kLine;
  const double memory = r.beyond_l3 * lines * memory_line(m, 1);
  if (!p.by_rows) return start * std::min(lines, c.start_lines) + memory;
  // Runs of several rows at once: their first lines come together.
  return start * c.rows_at_once * k.point.mr * std::min(lines / k.point.mr, c.start_lines) + memory;
}

double block_cycles(const KernelSpec& k, const Product& p, const Machine& m, const Walk& walk) {
  const double memory = memory_line(m, k.point.streams, k.point.pf > 0);
  const double tiles = std::ceil(p.rows / k.point.mr), lines = k.point.streams * p.block_lines;
  const double first = line_cycles(m.constants, p.weights, memory);
  const Reach again = reach_of(block_bytes(k, p) + input_bytes(k, p), m.cpu, m.threads);
  const double others =
      (tiles - 1) * (walk.whole + lines * line_cycles(m.constants, again, memory));
  // What is under way already comes while the other tiles compute.
  const double hidden = std::min({lines * first, lines_ahead(k, p, m.constants) * first, others});
  return together(lines * first - hidden, walk.hot, overlap(k, m.constants)) +
         (walk.whole - walk.hot) + others;
}

}  // namespace gatefold
