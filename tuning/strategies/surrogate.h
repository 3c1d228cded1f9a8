#pragma once

#include <vector>

#include "tuning/strategies/ledger.h"
#include "tuning/strategies/regression_forest.h"

namespace gatefold {

/// What the answers of one bucket say about the points that were not tried. One model for all
/// packings: what one teaches helps another. Always learnt anew from all answers as they stand.
class Surrogate {
 public:
  /// `ledger` must outlive it.
  Surrogate(Ledger& ledger, size_t bucket, uint64_t seed);

  /// An open point, logarithms as Ledger::joint_log: smaller is better.
  struct Outlook {
    PointId id = 0;
    double hoped = 0;    ///< expected time, less what the trees disagree by
    double promise = 0;  ///< by how much it is expected to be among the best, below 0
  };

  /// Learns what came since, and looks at open points: all, or in a large space the surroundings of
  /// the best and a sample. False while there is too little to learn from.
  bool update();

  const std::vector<Outlook>& outlooks() const { return outlooks_; }
  double expected(PointId id) const;

 private:
  void learn();
  void look(SeededRandom& random);
  std::vector<PointId> points_to_look_at(SeededRandom& random);
  Outlook outlook(PointId id) const;

  Ledger& ledger_;
  size_t bucket_;
  uint64_t seed_;
  RegressionForest times_, promises_;
  double best_log_ = 0;
  int learnt_ = 0;  ///< answers
  std::vector<Outlook> outlooks_;
};

}  // namespace gatefold
