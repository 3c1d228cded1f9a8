#pragma once

#include <cstddef>
#include <vector>

#include "tuning/search_space.h"

namespace gatefold {

/// A packing this far behind the best over all buckets is not searched any more.
inline constexpr double kHopelessRatio = 1.25;

/// Best known time by packing and row bucket.
class Standings {
 public:
  explicit Standings(const SearchSpace& space);
  void tell(const Candidate& candidate, double ms);

  /// For a place whose times were measured again: the best of them now, infinite if there is none.
  void set_best(size_t packing, size_t bucket, double ms) { best_.at(packing).at(bucket) = ms; }
  double best(size_t packing, size_t bucket) const { return best_.at(packing).at(bucket); }

  /// Geometric mean over the buckets; infinite while one has no time.
  double objective(size_t packing) const;

  /// Packings not further behind the best than `ratio`; all while none has times for all buckets.
  std::vector<size_t> within(double ratio) const;
  size_t best_packing() const;

 private:
  std::vector<std::vector<double>> best_;
};

}  // namespace gatefold
