#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuning/point_features.h"
#include "tuning/seeded_random.h"

namespace gatefold {

/// One observed point. Values are whole numbers (millionths), so that their sums do not depend on
/// the order of addition or on the compiler.
struct Observation {
  PointId id = 0;
  int32_t value = 0;
};

/// A random forest of regression trees: each from as many observations, drawn with replacement;
/// each split the best of a random part of the features.
class RegressionForest {
 public:
  struct Estimate {
    double mean = 0, deviation = 0;  ///< over the trees
  };

  /// `features` must outlive it.
  RegressionForest(const PointFeatures& features, int trees) : features_(features), trees_(trees) {}

  void fit(std::span<const Observation> observations, SeededRandom& random);
  bool empty() const { return roots_.empty(); }
  Estimate estimate(PointId id) const;

 private:
  /// A leaf has no left; the right child stands after the left one.
  struct Node {
    uint8_t feature = 0, most = 0;  ///< left: feature value <= most
    int32_t left = 0;
    float value = 0;
  };
  struct Split {
    double gain = 0;
    uint8_t feature = 0, most = 0;
  };

  void grow(int32_t node, std::span<Observation> sample, SeededRandom& random);
  Split best_split(std::span<const Observation> sample, SeededRandom& random);
  void try_feature(std::span<const Observation> sample, size_t feature, Split& best);

  const PointFeatures& features_;
  int trees_;
  std::vector<Node> nodes_;
  std::vector<int32_t> roots_;
  std::vector<int64_t> sums_;  ///< by level of a feature, while splitting
  std::vector<int32_t> counts_;
  std::vector<size_t> tried_;
};

}  // namespace gatefold
