#include "tuning/pruning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "schedules/space.h"
#include "tuning/cost_model.h"

namespace gatefold::test {
namespace {

class Pruning : public testing::Test {
 protected:
  Pruning() {
    place_.ffn = {variant_named("swiglu"), DType::f32, {896, 4864}, false};
    place_.rows = {16, 16, 16};
    place_.packing = legal_packings(place_.ffn, place_.target).front();
    points_ = legal_points(place_);
  }

  std::vector<SchedulePoint> kept(uint64_t seed) const {
    std::vector<double> predicted;
    for (const SchedulePoint& p : points_) predicted.push_back(ms(p));
    const std::vector<bool> worth = worth_trying_first(predicted, seed);
    std::vector<SchedulePoint> kept;
    for (size_t i = 0; i < points_.size(); ++i) {
      if (worth[i]) kept.push_back(points_[i]);
    }
    return kept;
  }

  double ms(const SchedulePoint& point) const {
    KernelSpec kernel = place_;
    kernel.point = point;
    return predicted_ms(kernel, cpu_, 1);
  }

  static std::set<std::string> texts(const std::vector<SchedulePoint>& points) {
    std::set<std::string> texts;
    for (const SchedulePoint& p : points) texts.insert(p.text());
    return texts;
  }

  KernelSpec place_;
  CpuProfile cpu_ = cpu_profile_named("zen3");
  std::vector<SchedulePoint> points_;
};

TEST_F(Pruning, KeepsTheBetterHalfAndSomeOfTheRest) {
  const double all = static_cast<double>(points_.size());
  EXPECT_GT(static_cast<double>(kept(1).size()), 0.51 * all);
  EXPECT_LT(static_cast<double>(kept(1).size()), 0.54 * all);
  const auto ranked = ranked_by_model(place_, points_, cpu_, 1);
  const std::set<std::string> names = texts(kept(1));
  for (size_t i = 0; i < ranked.size() / 2; ++i) ASSERT_TRUE(names.count(ranked[i].text())) << i;
}

TEST_F(Pruning, FollowsTheSeed) {
  EXPECT_EQ(kept(1), kept(1));
  EXPECT_NE(kept(1), kept(2));
}

TEST_F(Pruning, KeepsOneOfOneAndNoneOfNone) {
  EXPECT_TRUE(worth_trying_first({}, 1).empty());
  EXPECT_EQ(worth_trying_first({3.0}, 1), std::vector<bool>{true});
}

TEST_F(Pruning, RanksByTheModel) {
  const auto ranked = ranked_by_model(place_, points_, cpu_, 1);
  ASSERT_EQ(ranked.size(), points_.size());
  for (size_t i = 1; i < ranked.size(); ++i) ASSERT_LE(ms(ranked[i - 1]), ms(ranked[i]));
  EXPECT_EQ(texts(ranked), texts(points_));
}

}  // namespace
}  // namespace gatefold::test
