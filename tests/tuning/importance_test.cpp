#include "tuning/importance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "tuning/seeded_random.h"
#include "tuning/trial.h"

namespace gatefold::test {
namespace {

double share_of(const std::vector<TunableShare>& shares, const std::string& tunable) {
  for (const TunableShare& s : shares) {
    if (s.tunable == tunable) return s.share;
  }
  ADD_FAILURE() << "no " << tunable;
  return kUnknown;
}

/// All of mr 1 to 4, two prefetch distances, two unrolls.
std::vector<TimedPoint> grid(const std::function<double(const SchedulePoint&)>& ms) {
  std::vector<TimedPoint> points;
  for (int mr = 1; mr <= 4; ++mr) {
    for (int pf : {0, 32}) {
      for (int unroll : {1, 2}) {
        SchedulePoint p;
        p.mr = mr, p.pf = pf, p.unroll = unroll;
        points.push_back({p, ms(p)});
      }
    }
  }
  return points;
}

TEST(Importance, WhatDecidesEverythingExplainsEverything) {
  const auto shares = tunable_shares(grid([](const SchedulePoint& p) { return p.mr * 2.0; }));
  ASSERT_EQ(shares.size(), 1 + kTunables.size());
  EXPECT_EQ(shares.front().tunable, "mr");
  EXPECT_NEAR(shares.front().share, 1, 1e-9);
  EXPECT_NEAR(share_of(shares, "pf"), 0, 1e-9);
  EXPECT_EQ(share_of(shares, "fusion"), 0) << "it has one value";
}

TEST(Importance, SharesAddUpWhereTunablesActApart) {
  const auto shares = tunable_shares(
      grid([](const SchedulePoint& p) { return std::exp(3.0 * (p.pf > 0) + 1.0 * p.unroll); }));
  EXPECT_NEAR(share_of(shares, "pf"), 0.9, 0.02);  // 3^2 / (3^2 + 1^2)
  EXPECT_NEAR(share_of(shares, "unroll"), 0.1, 0.07) << "less what chance might have put there";
  EXPECT_EQ(shares[0].tunable, "pf");
  EXPECT_EQ(shares[1].tunable, "unroll");
}

TEST(Importance, ManyValuesDoNotExplainNoise) {
  SeededRandom random(3);
  double most = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<TimedPoint> points;
    for (int i = 0; i < 30; ++i) {
      SchedulePoint p;
      p.mr = 1 + i % 15;
      points.push_back({p, 1.0 + 1e-3 * static_cast<double>(random.below(1000))});
    }
    most += share_of(tunable_shares(points), "mr") / 20;
  }
  EXPECT_LT(most, 0.25) << "uncorrected it would be about a half";
}

TEST(Importance, FailedPointsAndFewPointsExplainNothing) {
  EXPECT_EQ(tunable_shares({}).front().share, 0);
  SchedulePoint p;
  EXPECT_EQ(tunable_shares({{p, 1}}).front().share, 0);
  const auto failed = [](const SchedulePoint& q) { return q.mr == 1 ? kUnknown : -1.0; };
  EXPECT_EQ(tunable_shares(grid(failed)).front().share, 0);
  EXPECT_EQ(tunable_shares(grid([](const auto&) { return 2.0; })).front().share, 0);
}

}  // namespace
}  // namespace gatefold::test
