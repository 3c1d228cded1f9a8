#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "accuracy/ffn_data.h"
#include "runtime/reference/reference.h"

namespace gatefold {

/// Inputs and their f64 reference, row by row, each row computed once: row r is the same whatever
/// the number of rows. `data` must outlive it.
class ReferenceRows {
 public:
  /// Inputs are the data's times `factor`, a power of two, so that they stay exact in any dtype.
  ReferenceRows(const FfnData& data, float factor) : data_(data), factor_(factor) {}

  std::vector<float> x(int64_t first, int64_t count) const;
  ReferenceResult of(const std::vector<int64_t>& rows);

 private:
  const ReferenceResult& row(int64_t index);

  const FfnData& data_;
  float factor_;
  std::map<int64_t, ReferenceResult> rows_;
};

/// Appends the rows of `more` to `to`.
void append_rows(ReferenceResult& to, const ReferenceResult& more);

/// At most `most` of `rows` rows, evenly spread, the first and the last among them.
std::vector<int64_t> spread_rows(int64_t rows, int64_t most);

}  // namespace gatefold
