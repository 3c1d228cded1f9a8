#pragma once

#include <string>

#include "spec/target.h"

namespace gatefold {

/// What the cost model takes for granted of a core that runs a target: nominal figures, never a
/// measurement of this machine, so that a resumed run ranks points as the first one did. Cycles,
/// bytes; docs/cost_model.md has each one's source.
struct CostConstants {
  double ghz = 3.1;
  // Arithmetic.
  double fma_per_cycle = 2, fma_latency = 4;
  double loads_per_cycle = 2;
  double instructions_per_cycle = 4;  ///< what a neighbour on the other hardware thread leaves
  double shuffles_per_cycle = 1;      ///< conversions from f16, and shifts where they cost as much
  bool one_kind_of_pipe = false;      ///< what widens takes the place of multiply-adds
  double smoothing = 5;               ///< how sharply the largest of the bounds above prevails
  // Memory, of one core.
  double dram_bytes_per_cycle = 6.8;
  double shared_dram = 0.8;                      ///< of that, when another thread reads as well
  double one_stream = 0.85, two_streams = 0.95;  ///< of what four streams draw
  double prefetched = 0.85;  ///< of the bandwidth, when software prefetches instead of the hardware
  double l2_line = 1, l3_line = 3.5;  ///< cycles of a 64-byte line that streams in
  double l2_start = 1, l3_start = 5;  ///< more for a line before the prefetcher knows
  double start_lines = 24;            ///< lines of a run until it does
  double rows_at_once = 0.5;  ///< of that start, where the runs of several rows begin together
  double spill_latency = 5;   ///< of a register that goes through the stack
  // Fetching a block of weights while computing.
  double overlap = 0.5;           ///< of the shorter of fetch and compute that hides in the longer
  double prefetch_overlap = 0.9;  ///< with prefetch far enough ahead
  double latency_lines = 30;      ///< lines in flight, all streams together, that hide the latency
  double misses = 31;             ///< line buffers: what a prefetch may run ahead without waiting
  double hardware_ahead = 6;      ///< lines that the hardware has fetched beyond a block
  // Loops.
  double run_overhead = 12;      ///< of one tile's walk along one k-block
  double vector_overhead = 0.5;  ///< of each accumulator taken up and put down
  double task_overhead = 500;
  double region_us = 0.4, shared_region_us = 3;  ///< a parallel loop on one thread, on several
};

/// Of a core, by its micro-architecture's name, where it is known apart from others that run the
/// target; else of a usual one.
const CostConstants& cost_constants(Target target, const std::string& core = {});

/// The part of it that is about AArch64: cores with vectors of one length differ in all else.
const CostConstants& arm64_constants(const std::string& core);

/// Multiply-adds that a core has begun before the first ends: with fewer accumulators it waits.
int accumulators_wanted(const CostConstants& constants);

}  // namespace gatefold
