#include "tuning/cost_constants.h"

#include <cmath>

namespace gatefold {
namespace {

/// Zen 3: two 256-bit fused multiply-adds and two 256-bit loads a cycle, latency four, 24 line
/// buffers of the L1 cache.
CostConstants narrow() { return {}; }

/// Zen 5 and Intel's server cores: two 512-bit fused multiply-adds and two 512-bit loads a cycle;
/// twice the bandwidth of a core, which takes more lines in flight.
CostConstants wide() {
  CostConstants c;
  c.ghz = 4;
  c.dram_bytes_per_cycle = 10;
  c.two_streams = 0.98;
  c.prefetched = 1;
  c.latency_lines = 190;
  c.misses = 96;
  return c;
}

}  // namespace

const CostConstants& cost_constants(Target target, const std::string& core) {
  static const CostConstants of_narrow = narrow(), of_wide = wide();
  if (info(target).arch == Arch::arm64) return arm64_constants(core);
  return info(target).vector_lanes == 16 ? of_wide : of_narrow;
}

int accumulators_wanted(const CostConstants& c) {
  return static_cast<int>(std::ceil(c.fma_per_cycle * c.fma_latency));
}

}  // namespace gatefold
