#pragma once

#include <functional>
#include <string>
#include <vector>

#include "accuracy/loaded_library.h"

namespace gatefold {

struct AccuracyOptions {
  std::vector<Shape> shapes;  ///< for sizes that the library leaves open
  std::vector<int64_t> rows;  ///< beside the edges of the library's row buckets
  std::string target;  ///< only this one ("host", "cuda": the best); empty: all that run here
  uint64_t seed = 1;
  /// Also every call with its tensors at the edges of memory that nothing may touch, where a kernel
  /// that reaches past one ends the process; and hidden values that are known by hand.
  bool thorough = false;
  std::function<void(const std::string&)> progress;  ///< may throw, to end the check
};

/// What one kernel gave at one row count.
struct AccuracyCell {
  std::string kernel, target;
  Shape shape;
  int64_t rows = 0;
  std::string values;  ///< "unit", "wide", "special", "residual" or "known"
  int threads = 1;
  double max_abs = 0, rel_l2 = 0, scaled = 0;
  double tolerance = 0;  ///< of rel_l2 where both sizes are 32 or more, else of scaled
  bool ok = false;
  std::string note;  ///< what is wrong
};

struct AccuracyResult {
  bool ok = false;
  std::vector<AccuracyCell> cells;
  std::vector<std::string> notes;  ///< what was left out, and kernels that could not be reached
};

/// 0, 1, 2, 3, 5, 17, 64: around the register tiles and buckets.
const std::vector<int64_t>& default_check_rows();
/// Sizes 1 and 37 both ways, odd ones, and two that are multiples of everything.
const std::vector<Shape>& default_check_shapes();

/// Runs every kernel of every target that this CPU can run, on all rows and thread counts, and
/// compares with the f64 reference: plain values, wide ones (the activation's tails), and rows that
/// hold NaN, infinities and huge numbers, which must not reach other rows. Different thread counts
/// must give the same bits. No usable target at all is ErrorKind::unavailable.
AccuracyResult check_accuracy(const LoadedLibrary& library, const AccuracyOptions& options);

}  // namespace gatefold
