#pragma once

#include "spec/ffn_spec.h"
#include "spec/machine.h"
#include "tuning/cost_constants.h"

namespace gatefold {

/// A core's share of the machine that a kernel runs on.
struct Machine {
  const CpuProfile& cpu;
  int threads;
  const CostConstants& constants;
};

/// The shares of what is read again that no longer is in L1, in L2, in L3.
struct Reach {
  double beyond_l1 = 1, beyond_l2 = 1, beyond_l3 = 1;  ///< as it stands: all from memory
};

/// After `bytes` of it and its neighbours were read on each of `sharers` cores. Nothing is sudden:
/// a cache loses some from half its size on, and all at one and a half.
Reach reach_of(double bytes, const CpuProfile& cpu, int sharers);

/// Cycles in which one core gets a line from memory when it reads `streams` panels side by side.
double memory_line(const Machine& machine, int streams, bool prefetch = false);

/// Cycles of a line that streams in from where `reach` says, `memory` those of one from memory.
double line_cycles(const CostConstants& c, const Reach& reach, double memory);

/// One product (gate and up together count as one) over the rows of one pass.
struct Product {
  double groups = 0;         ///< panel groups, one after the other or on several threads
  double lines = 0;          ///< packed lines of k
  double block_lines = 0;    ///< of one k-block; `lines` if k is one block
  double rows = 0;           ///< of one pass
  double input_length = 0;   ///< values of one input row
  double input_element = 4;  ///< bytes
  bool by_rows = false;      ///< the input is read row by row, not tile by tile
  Reach weights;             ///< where a panel is when its first row tile comes to it
};

/// Cycles that a tile's input adds to its walk along one k-block: the first lines of a run come
/// before the prefetcher knows of it.
double input_cycles(const KernelSpec& kernel, const Product& product, const Machine& machine);

/// One tile along one k-block with everything in L1: the hot loop, and beside it what takes up and
/// puts down the accumulators and what its input adds.
struct Walk {
  double hot, whole;
};

/// Cycles of one k-block of one panel group: every row tile walks along it, and the first brings it
/// from where it is.
double block_cycles(const KernelSpec& kernel, const Product& product, const Machine& machine,
                    const Walk& walk);

}  // namespace gatefold
