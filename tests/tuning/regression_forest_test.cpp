#include "tuning/strategies/regression_forest.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/tuning/synthetic_space.h"
#include "tuning/space_index.h"

namespace gatefold::test {
namespace {

class Forest : public testing::Test {
 protected:
  int32_t true_value(PointId id) {
    const BucketPoints& points = index_.points(0);
    const double ms = synthetic_ms(space_.kernel(points.packing(id), 0, points.point(id)));
    return static_cast<int32_t>(std::lround(1e6 * std::log(ms)));
  }
  std::vector<Observation> observe(size_t count, uint64_t seed) {
    SeededRandom random(seed);
    std::vector<Observation> seen;
    for (size_t i = 0; i < count; ++i) {
      const auto id = static_cast<PointId>(random.below(index_.points(0).size()));
      seen.push_back({id, true_value(id)});
    }
    return seen;
  }

  const SearchSpace space_ = synthetic_space(16).search_space();
  SpaceIndex index_{space_};
};

TEST_F(Forest, ExplainsMostOfWhatItWasNotShown) {
  RegressionForest forest(index_.features(0), 24);
  SeededRandom random(1);
  forest.fit(observe(200, 2), random);
  double error = 0, spread = 0, mean = 0;
  const std::vector<Observation> others = observe(500, 3);
  for (const Observation& o : others) mean += o.value / 500.0;
  for (const Observation& o : others) {
    error += std::pow(forest.estimate(o.id).mean - o.value, 2);
    spread += std::pow(mean - o.value, 2);
  }
  EXPECT_LT(error, 0.3 * spread);
}

TEST_F(Forest, SameStreamSameForest) {
  RegressionForest a(index_.features(0), 8), b(index_.features(0), 8);
  SeededRandom one(5), same(5);
  a.fit(observe(60, 2), one);
  b.fit(observe(60, 2), same);
  for (PointId id = 0; id < index_.points(0).size(); id += 13) {
    EXPECT_EQ(a.estimate(id).mean, b.estimate(id).mean);
    EXPECT_EQ(a.estimate(id).deviation, b.estimate(id).deviation);
  }
}

TEST_F(Forest, OneAnswerAndEqualAnswersAreNoSplits) {
  RegressionForest forest(index_.features(0), 8);
  EXPECT_TRUE(forest.empty());
  SeededRandom random(1);
  forest.fit(std::vector<Observation>{{7, 42}}, random);
  EXPECT_EQ(forest.estimate(3).mean, 42);
  std::vector<Observation> equal = observe(40, 2);
  for (Observation& o : equal) o.value = 1386300;
  forest.fit(equal, random);
  EXPECT_EQ(forest.estimate(3).mean, 1386300);
  EXPECT_EQ(forest.estimate(3).deviation, 0);
}

TEST_F(Forest, TreesDisagreeWhereLittleIsKnown) {
  RegressionForest forest(index_.features(0), 24);
  SeededRandom random(1);
  const std::vector<Observation> seen = observe(80, 2);
  forest.fit(seen, random);
  double known = 0, unknown = 0;
  for (const Observation& o : seen) known += forest.estimate(o.id).deviation / 80;
  for (const Observation& o : observe(80, 4)) unknown += forest.estimate(o.id).deviation / 80;
  EXPECT_LT(known, unknown);
}

TEST_F(Forest, AModelIsAFeatureAndConstantsAreNone) {
  const auto model = [this](const Candidate& c) {
    return synthetic_ms(space_.kernel(c.packing, c.bucket, c.point));
  };
  SpaceIndex with(space_, model);
  EXPECT_EQ(with.features(0).width(), index_.features(0).width() + 1);
  for (size_t f = 0; f < with.features(0).width(); ++f) EXPECT_GE(with.features(0).levels(f), 2);
  SpaceIndex same(space_, [](const Candidate&) { return 3.0; });
  EXPECT_EQ(same.features(0).width(), index_.features(0).width());
}

}  // namespace
}  // namespace gatefold::test
