#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accuracy/reference_rows.h"
#include "gatefold/gatefold.h"

namespace gatefold {

/// One call to check: its input, and the rows of its output that are compared.
struct AccuracyCase {
  std::string values;  ///< "unit", "wide", "special" or "residual"
  int64_t rows = 0;
  std::vector<float> x;         ///< dense [rows, d_model]
  std::vector<float> residual;  ///< the same; empty if the block adds none
  std::vector<int64_t> compared;
  ReferenceResult expected;  ///< of the compared rows
  /// special only: rows that must have the bits that the plain case of the same row count gave.
  std::vector<int64_t> untouched;
};

/// Row counts worth checking: those asked for and the edges of the kernels' buckets.
std::vector<int64_t> rows_to_check(const std::vector<const gf_kernel*>& kernels,
                                   const std::vector<int64_t>& wanted, int64_t most_rows);

/// All calls for one block, the plain case of a row count before the special one.
std::vector<AccuracyCase> accuracy_cases(const FfnData& data, const std::vector<int64_t>& rows);

}  // namespace gatefold
