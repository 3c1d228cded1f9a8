#include "tuning/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "spec/error.h"
#include "tests/support/paths.h"
#include "tests/tuning/synthetic_space.h"

namespace gatefold::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What the default strategy must reach, of time / optimum over the seeds.
struct Bound {
  int trials;
  double median, p90;
};
constexpr Bound kBounds[] = {{32, 1.10, INFINITY}, {128, 1.03, 1.12}, {256, 1.01, 1.05}};

using Medians = std::map<std::string, std::map<int, ReplayCell>>;

Medians replayed(const Replay& replay, int seeds) {
  Medians medians;
  for (const ReplayCell& cell :
       replay_cells(replay, {{"forest", "ils", "coordinate", "random"}, {32, 128, 256}, seeds})) {
    medians[cell.strategy][cell.trials] = cell;
  }
  return medians;
}

void expect_good(const Replay& replay, const std::string& space, int seeds) {
  Medians all = replayed(replay, seeds);
  for (const Bound& bound : kBounds) {
    SCOPED_TRACE(space + ", " + std::to_string(bound.trials) + " trials");
    const ReplayCell forest = all["forest"][bound.trials];
    EXPECT_LE(forest.median, bound.median);
    EXPECT_LE(forest.p90, bound.p90);
    const double random = all["random"][bound.trials].median;
    EXPECT_TRUE(forest.median < random || random == 1) << forest.median << " against " << random;
    for (auto& [strategy, cells] : all) {
      EXPECT_LE(forest.median, 1.02 * cells[bound.trials].median) << strategy;
    }
  }
}

/// The spaces that were measured: tests/tuning/spaces/*.csv.gz.
TEST(MeasuredSpaces, TheDefaultStrategyComesNearTheOptimum) {
  const std::filesystem::path folder = source_dir() + "/tests/tuning/spaces";
  std::vector<std::filesystem::path> files;
  if (std::filesystem::exists(folder)) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().string().ends_with(".csv.gz")) files.push_back(entry.path());
    }
  }
  if (files.empty()) GTEST_SKIP() << "no space is recorded yet";
  EXPECT_GE(files.size(), 3u);
  for (const auto& file : files) {
    const Replay replay(read_recorded_space(file), file.filename(), analytic_model());
    EXPECT_GE(replay.points(), 1500u) << file;
    expect_good(replay, file.filename(), 20);
  }
}

TEST(SyntheticSpaces, TheDefaultStrategyComesNearTheOptimum) {
  for (int64_t rows : {4, 64}) {
    const Replay replay(synthetic_space(rows), "synthetic");
    EXPECT_GE(replay.points(), 1500u);
    expect_good(replay, std::to_string(rows) + " rows", 10);
  }
}

TEST(Replay, TheSameSeedGivesTheSameResult) {
  const RecordedSpace space = synthetic_space(4, {64, 160});
  const Replay a(space, "a"), b(space, "b");
  for (uint64_t seed : {1, 2}) {
    a.regret("forest", seed + 10, 40);  // what another run looked at before does not matter
    EXPECT_EQ(a.regret("forest", seed, 40), b.regret("forest", seed, 40));
  }
}

TEST(Replay, ExhaustiveFindsTheOptimum) {
  const RecordedSpace space = synthetic_space(4, {64, 160});
  const Replay replay(space, "s");
  EXPECT_EQ(replay.regret("exhaustive", 1, 1000000), 1);
  double least = INFINITY;
  for (const RecordedPoint& p : space.points) {
    if (p.ms < least) least = p.ms;
  }
  EXPECT_EQ(replay.optimum_ms(), least);
  EXPECT_GE(replay.regret("random", 1, 5), 1);
}

TEST(Replay, WhatIsNotLegalAnyMoreIsLeftOutWithANote) {
  RecordedSpace space = synthetic_space(4, {64, 160});
  RecordedPoint gone = space.points.front();
  gone.point.pf = 77;
  gone.ms = 1e-6;
  space.points.push_back(gone);
  RecordedPoint other_packing = space.points.front();
  other_packing.packing.k_lines = 64;
  other_packing.ms = 1e-6;
  space.points.push_back(other_packing);
  const Replay replay(space, "old.csv.gz");
  EXPECT_THAT(replay.notes(), ElementsAre(HasSubstr("old.csv.gz: left out 2 points")));
  EXPECT_GT(replay.optimum_ms(), 1e-3);
}

TEST(Replay, WhatWasNotRecordedAnswersAsFailed) {
  RecordedSpace space = synthetic_space(4, {64, 160});
  const size_t all = space.points.size();
  space.points.resize(all - 3);
  const Replay replay(space, "part.csv.gz");
  EXPECT_THAT(replay.notes(), ElementsAre("part.csv.gz: 3 points of " + std::to_string(all) +
                                          " are not in it and answer as failed"));
  EXPECT_EQ(replay.points(), all - 3);
  EXPECT_EQ(replay.regret("exhaustive", 1, 1000000), 1);
}

TEST(Replay, ASpaceWithoutATimeIsAnError) {
  RecordedSpace space = synthetic_space(4, {64, 160});
  for (RecordedPoint& p : space.points) {
    p.kind = TrialKind::crash;
    p.ms = kUnknown;
  }
  EXPECT_THROW(Replay(space, "s"), Error);
}

TEST(Quantile, InterpolatesAndKeepsInfinitiesOut) {
  EXPECT_EQ(quantile({3, 1, 2}, 0.5), 2);
  EXPECT_NEAR(quantile({1, 2, 3, 4}, 0.9), 3.7, 1e-12);
  EXPECT_EQ(quantile({1, INFINITY, 2}, 0.5), 2);
  EXPECT_EQ(quantile({5}, 0.9), 5);
}

}  // namespace
}  // namespace gatefold::test
