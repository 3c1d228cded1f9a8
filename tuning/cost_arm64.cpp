#include <map>

#include "tuning/cost_constants.h"

namespace gatefold {
namespace {

/// Arm Cortex-A76 Software Optimization Guide: two ASIMD pipelines, V0 and V1, both of which
/// multiply-add; FMLA takes 4 cycles (2 from accumulator to accumulator of its like, which the
/// model does not count on); two load pipelines of 16 bytes; four instructions decoded a cycle.
/// Shifts that widen (SHLL) go through V1, conversions from f16 (FCVTL) through V0. The figures of
/// memory are those of a chip with one channel of LPDDR4X, not of the core.
CostConstants cortex_a76() {
  CostConstants c;
  c.ghz = 2.4;
  c.fma_per_cycle = 2, c.fma_latency = 4;
  c.loads_per_cycle = 2;
  c.instructions_per_cycle = 4;
  c.shuffles_per_cycle = 1;
  c.one_kind_of_pipe = true;
  // How sharply the slowest part prevails is not known; so softly that of tiles which multiply
  // equally fast the one with the fewest other instructions is ahead.
  c.smoothing = 3;
  c.dram_bytes_per_cycle = 5;
  c.l2_line = 2, c.l3_line = 6;
  c.latency_lines = 24;
  c.misses = 20;
  // What software prefetch does there is not known: it neither costs bandwidth nor hides more.
  c.prefetched = 1;
  c.overlap = c.prefetch_overlap;
  c.hardware_ahead = 10;
  return c;
}

/// Arm Neoverse N1 Software Optimization Guide: the Cortex-A76's pipelines, with more memory behind
/// them.
CostConstants neoverse_n1() {
  CostConstants c = cortex_a76();
  c.ghz = 2.6;
  c.dram_bytes_per_cycle = 8;
  c.latency_lines = 32;
  return c;
}

/// Arm Neoverse V2 Software Optimization Guide: four ASIMD pipelines, FMLA in 4 cycles on all;
/// three load pipelines; six instructions decoded a cycle. SHLL goes through V1 and V3, FCVTL
/// through V0 and V2.
CostConstants neoverse_v2() {
  CostConstants c = cortex_a76();
  c.ghz = 3;
  c.fma_per_cycle = 4;
  c.loads_per_cycle = 3;
  c.instructions_per_cycle = 6;
  c.shuffles_per_cycle = 2;
  c.dram_bytes_per_cycle = 12;
  c.l2_line = 1, c.l3_line = 5;
  c.latency_lines = 64;
  c.misses = 48;
  c.hardware_ahead = 24;
  return c;
}

/// Dougall Johnson's measurements of the M1's performance core (dougallj.github.io/applecpu): four
/// SIMD units, FMLA in 4 cycles on all; three loads and eight instructions a cycle; what widens
/// runs on every unit. Memory: 58 GB/s of one core (AnandTech, The 2020 Mac Mini Unleashed).
CostConstants apple_m1() {
  CostConstants c = neoverse_v2();
  c.ghz = 3.2;
  c.instructions_per_cycle = 8;
  c.shuffles_per_cycle = 4;
  c.dram_bytes_per_cycle = 18;
  c.l2_line = 2;
  c.latency_lines = 88;
  return c;
}

}  // namespace

const CostConstants& arm64_constants(const std::string& core) {
  static const std::map<std::string, CostConstants> cores = {{"cortex-a76", cortex_a76()},
                                                             {"neoverse-n1", neoverse_n1()},
                                                             {"neoverse-v2", neoverse_v2()},
                                                             {"apple-m1", apple_m1()}};
  const auto found = cores.find(core);
  return found == cores.end() ? cores.at("neoverse-n1") : found->second;
}

}  // namespace gatefold
