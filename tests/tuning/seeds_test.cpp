#include "tuning/strategies/seeds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/tuning/small_space.h"
#include "tests/tuning/synthetic_space.h"

namespace gatefold::test {
namespace {

class Seeds : public testing::Test {
 protected:
  std::deque<Seed> seeds(StrategyInput in) {
    Ledger ledger(in);
    return seeds_of(ledger, in);
  }
  StrategyInput with_model() {
    StrategyInput in{space_};
    in.predicted_ms = [this](const Candidate& c) {
      return synthetic_ms(space_.kernel(c.packing, c.bucket, c.point));
    };
    return in;
  }
  static size_t count(const std::deque<Seed>& seeds, const std::string& proposer) {
    return static_cast<size_t>(std::count_if(
        seeds.begin(), seeds.end(), [&](const Seed& s) { return s.proposer == proposer; }));
  }
  const SearchSpace space_ = synthetic_space(16).search_space();
};

TEST_F(Seeds, DefaultsThenTheModelsBestThenWhatIsKnown) {
  StrategyInput in = with_model();
  const SpaceIndex index(space_);
  const BucketPoints points(space_, 0);
  const Candidate known = points.candidate(5, "known");
  Candidate illegal = known;
  illegal.point.pf = 77;
  in.known = {illegal, known};
  const std::deque<Seed> all = seeds(in);
  ASSERT_EQ(all.size(), 3u + 8 + 1);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(all[i].id, points.default_of(i));
  for (size_t i = 3; i < 11; ++i) EXPECT_EQ(all[i].proposer, "model");
  EXPECT_EQ(all.back().id, 5u);
  EXPECT_EQ(all.back().proposer, "known");
}

TEST_F(Seeds, TheModelsTwoBestComeFirstAndTheRestDiffer) {
  const StrategyInput in = with_model();
  Ledger ledger(in);
  const BucketPoints& points = ledger.points(0);
  const std::vector<double>& predicted = ledger.index().predicted(0);
  std::vector<double> sorted = predicted;
  std::sort(sorted.begin(), sorted.end());
  const double limit = sorted[std::max<size_t>(32, sorted.size() / 20) + 3];
  std::vector<PointId> chosen;
  for (const Seed& s : seeds_of(ledger, in)) {
    if (s.proposer == "model") chosen.push_back(s.id);
  }
  ASSERT_EQ(chosen.size(), 8u);
  for (PointId id : chosen) EXPECT_LE(predicted[id], limit);
  EXPECT_LE(predicted[chosen[0]], predicted[chosen[1]]);
  for (size_t i = 2; i < 8; ++i) {
    EXPECT_LE(predicted[chosen[1]], predicted[chosen[i]]);
    for (size_t k = 0; k < i; ++k) EXPECT_GE(points.hamming(chosen[i], chosen[k]), 2);
  }
}

TEST_F(Seeds, WithoutAModelTheyAreSpread) {
  StrategyInput in{space_};
  in.seed = 5;
  const std::deque<Seed> all = seeds(in);
  EXPECT_EQ(count(all, "spread"), 8u);
  std::set<Fusion> fusions;
  const BucketPoints points(space_, 0);
  for (const Seed& s : all) fusions.insert(points.point(s.id).fusion);
  EXPECT_GE(fusions.size(), 3u);
  in.seed = 6;
  EXPECT_NE(seeds(in).back().id, all.back().id);
}

TEST_F(Seeds, ASmallBudgetLeavesHalfOfItToTheSearch) {
  StrategyInput in = with_model();
  in.budget = 16;
  EXPECT_EQ(count(seeds(in), "model"), 5u);
  in.budget = 4;
  EXPECT_EQ(count(seeds(in), "model"), 2u);
  const SearchSpace many = small_space();
  StrategyInput three{many};
  three.budget = 32;
  EXPECT_EQ(count(seeds(three), "default"), 9u);
  EXPECT_EQ(count(seeds(three), "spread"), 6u);
}

TEST_F(Seeds, BucketsComeInTurns) {
  const SearchSpace many = small_space();
  const std::deque<Seed> all = seeds(StrategyInput{many});
  ASSERT_EQ(all.size(), 9u + 24);
  for (size_t i = 9; i < all.size(); ++i) EXPECT_EQ(all[i].bucket, i % 3);
}

TEST_F(Seeds, AModelThatKnowsNothingOfAPointPutsItLast) {
  StrategyInput in{space_};
  in.predicted_ms = [](const Candidate& c) { return c.point.mr == 3 ? 1.0 : kUnknown; };
  Ledger ledger(in);
  for (const Seed& s : seeds_of(ledger, in)) {
    if (s.proposer != "model") continue;
    EXPECT_EQ(ledger.points(0).point(s.id).mr, 3);
  }
}

}  // namespace
}  // namespace gatefold::test
