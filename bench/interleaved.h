#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "bench/contender.h"
#include "tuning/race.h"
#include "tuning/roof.h"

namespace gatefold {

struct BenchOptions {
  bool cold = true;    ///< rotate through copies of the weights larger than the last cache
  double seconds = 3;  ///< for each row count, all contenders together
  int min_rounds = 5;
  int max_rounds = 200;
  uint64_t seed = 1;
  const std::atomic<bool>* stop = nullptr;  ///< between rounds; what is finished is returned
};

/// One contender at one row count.
struct BenchCell {
  std::string impl;
  int64_t rows = 0;
  bool own = true;   ///< `gatefold` and what is built with it, not a competitor
  bool ran = false;  ///< else there are no figures, and the note says why
  double median_ms = 0;
  double min_ms = 0;
  std::optional<Paired> ratio;       ///< its time / that of `gatefold` in the same rounds
  int64_t weight_bytes = 0;          ///< of one packed copy
  std::optional<double> efficiency;  ///< roofline time / median; none if warm or refused
  double roofline_ms = 0;
  std::string bound;  ///< "compute" or "memory"
  double max_abs = 0, rel_l2 = 0;
  bool output_ok = false;  ///< it ran and all its outputs are right
  bool ok = false;         ///< it ran, the output is right and the time is possible
  std::string note;        ///< why not
  std::string kernel;
};

struct BenchResult {
  Roof roof;       ///< what a quarter of the run's slices reach
  Roof best_roof;  ///< the best slices
  int copies = 0;  ///< of the weights, in each rotation
  bool cold = false;
  std::vector<BenchCell> cells;  ///< by rows, `gatefold` first
};

/// Times `gatefold` and the others in the same rounds, so that whatever the machine does meanwhile
/// hits all alike. A competitor that cannot do the block, or ends, has cells without figures and
/// the others go on. So is the roof, with the same threads: a cell's efficiency is the roofline
/// time by the medians of what was probed in that cell's rounds, divided by the median time.
BenchResult run_interleaved(const Contest& contest, const std::vector<ContenderInfo>& others,
                            const BenchOptions& options);

}  // namespace gatefold
