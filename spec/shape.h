#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gatefold {

/// Sizes of one block; kAny leaves a size to the call.
struct Shape {
  static constexpr int64_t kAny = 0;
  int64_t d_model = kAny;
  int64_t d_ff = kAny;

  bool fixed() const { return d_model != kAny && d_ff != kAny; }
  bool operator==(const Shape&) const = default;
  std::string text() const;  ///< "4096x11008", "anyxany"
};

/// Largest size of one dimension. Kernels index a whole packed matrix with 32-bit numbers, so their
/// product is limited too, below 2^31 words with padding: gf_ffn_create checks it.
inline constexpr int64_t kMaxDimension = int64_t{1} << 20;

/// "any" or a number from 1 to kMaxDimension; `flag` names it in the error.
int64_t parse_dimension(std::string_view text, const char* flag);

/// Rows of one kernel: rows_min to rows_max; the last bucket has no upper end.
struct RowBucket {
  static constexpr int64_t kOpen = INT64_MAX;
  int64_t rows_min = 1;
  int64_t rows_max = kOpen;
  int64_t tuned_rows = 1;  ///< the number in the --rows list that names the bucket
};

/// "1,4,16": strictly ascending numbers, the first at least `least`.
std::vector<int64_t> parse_rows(std::string_view text, const char* flag = "--rows",
                                int64_t least = 1);

/// Rows 1,4,16,64 give buckets 1, 2-4, 5-16 and 17 upwards.
std::vector<RowBucket> row_buckets(const std::vector<int64_t>& rows);

}  // namespace gatefold
