#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuning/seeded_random.h"
#include "tuning/space_index.h"
#include "tuning/standings.h"
#include "tuning/strategy.h"
#include "tuning/trial.h"

namespace gatefold {

/// What a strategy asked and was told, by bucket and number of the point. Only what was proposed
/// counts as tried: to look at a point's prediction leaves it open.
class Ledger {
 public:
  explicit Ledger(const StrategyInput& input);

  SpaceIndex& index() const { return *index_; }
  const SearchSpace& space() const { return index_->space(); }
  const BucketPoints& points(size_t bucket) const { return index_->points(bucket); }
  size_t buckets() const { return space().buckets.size(); }

  Candidate ask(size_t bucket, PointId id, const std::string& proposer);
  void tell(const Candidate& candidate, double ms);

  int asked_count() const { return asked_count_; }
  bool asked(size_t bucket, PointId id) { return !book(bucket).state.at(id).open; }

  /// As told last; infinite if it failed, NaN if it was not told.
  double ms(size_t bucket, PointId id) { return book(bucket).state.at(id).ms; }
  const std::vector<PointId>& told(size_t bucket) { return book(bucket).told; }
  /// Rises with every answer, repeated ones included.
  int answers(size_t bucket) { return book(bucket).answers; }
  const std::vector<PointId>& pending(size_t bucket) { return book(bucket).pending; }

  /// A packing so far behind that no schedule of it is tried any more.
  bool hopeless(size_t packing) const { return hopeless_.at(packing); }

  /// May be proposed: not asked before, not of a hopeless packing.
  bool open(size_t bucket, PointId id) {
    return !asked(bucket, id) && !hopeless(points(bucket).packing(id));
  }

  /// The logarithm of a time as the joint objective sees it, 0 at the best known: relative to the
  /// best of this bucket under its packing, plus how far that packing is behind over all buckets.
  /// What a bucket gains under a packing that the others are slow with is worth less.
  double joint_log(size_t bucket, PointId id, double log_ms);

  /// The fastest by joint_log, at most `count`, fastest first.
  std::vector<PointId> elites(size_t bucket, size_t count);

  /// An open point, every packing with the same chance; those that the cost model thinks little of
  /// once there are no others.
  std::optional<PointId> random_open(size_t bucket, SeededRandom& random);

 private:
  struct State {
    bool open = true;
    double ms = kUnknown;
  };
  /// One bucket's. `shuffled`: the points of each packing in random order, taken from the back.
  struct Book {
    std::vector<State> state;
    std::vector<PointId> told, pending;
    std::vector<std::vector<PointId>> shuffled;
    int answers = 0;
  };

  Book& book(size_t bucket);
  void take_worthy_first(size_t bucket, std::vector<PointId>& ids) const;
  void update_best(size_t packing, size_t bucket);
  void update_standings();

  std::shared_ptr<SpaceIndex> index_;
  uint64_t seed_;
  Standings standings_;
  std::vector<bool> hopeless_;
  std::vector<std::vector<double>> reference_;  ///< by packing and bucket; see joint_log
  std::vector<Book> books_;
  int asked_count_ = 0;
};

}  // namespace gatefold
