#include "tuning/race.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "spec/error.h"
#include "tuning/race_decision.h"

namespace gatefold {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Samples around `ms`, with a drift that all racers of a round share.
std::vector<double> samples(double ms, int rounds, double noise, uint64_t seed) {
  std::mt19937_64 random(seed), shared(99);
  std::normal_distribution<double> own_noise, shared_noise;  // each keeps a number for next time
  std::vector<double> out;
  for (int i = 0; i < rounds; ++i) {
    const double drift = 1 + 0.1 * i / rounds + 0.05 * shared_noise(shared);
    out.push_back(ms * drift * std::exp(noise * own_noise(random)));
  }
  return out;
}

TEST(Median, OfOddEvenAndNothing) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(Quantiles, MatchTables) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959964, 1e-5);
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 1e-3);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.30265, 1e-4);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.77645, 1e-4);
  EXPECT_NEAR(student_quantile(0.995, 10), 3.16927, 1e-4);
  EXPECT_NEAR(student_quantile(0.025, 4), -2.77645, 1e-4);
}

TEST(ComparePaired, DriftSharedByBothCancels) {
  // 2 % apart under a drift of 10 %: unpaired medians could not tell.
  const Paired p = compare_paired(samples(0.98, 15, 0.004, 1), samples(1, 15, 0.004, 2));
  EXPECT_NEAR(p.ratio, 0.98, 0.005);
  EXPECT_TRUE(p.faster());
  EXPECT_FALSE(p.slower());
}

TEST(ComparePaired, OneDisturbedRoundDoesNotDecide) {
  std::vector<double> challenger(12, 0.97), base(12, 1);
  for (size_t i = 0; i < challenger.size(); ++i)
    challenger[i] *= 1 + 0.001 * static_cast<double>(i % 3);
  challenger[4] = 5;
  EXPECT_TRUE(compare_paired(challenger, base).faster());
}

TEST(ComparePaired, SixRoundsNeedThemAll) {
  // Two in 64: the only sums of ranks as rare as one in twenty are those of the extremes.
  const std::vector<double> challenger = {0.9, 0.91, 0.92, 0.93, 0.94, 1.01}, base(6, 1);
  const Paired p = compare_paired(challenger, base);
  EXPECT_NEAR(p.low, 0.9, 1e-12);
  EXPECT_NEAR(p.high, 1.01, 1e-12);
}

TEST(ComparePaired, FewRoundsGiveAWideInterval) {
  const std::vector<double> challenger = {0.97, 1.02, 0.96}, base = {1, 1, 1};
  const Paired p = compare_paired(challenger, base);
  EXPECT_LT(p.low, 0.95);
  EXPECT_GT(p.high, 1.0);
}

TEST(ComparePaired, OneRoundClaimsNothing) {
  const std::vector<double> challenger = {0.5}, base = {1};
  const Paired p = compare_paired(challenger, base);
  EXPECT_FALSE(p.faster());
  EXPECT_EQ(p.ratio, 0.5);
}

TEST(ComparePaired, LeavesOutRoundsThatOneMissed) {
  const std::vector<double> challenger = {1, kNan, 1, 1}, base = {2, 2, kNan, 2};
  const Paired p = compare_paired(challenger, base);
  EXPECT_EQ(p.rounds, 2u);
  EXPECT_NEAR(p.ratio, 0.5, 1e-12);
}

TEST(ComparePaired, NothingInCommon) {
  const std::vector<double> challenger = {1, kNan}, base = {kNan, 1};
  EXPECT_EQ(compare_paired(challenger, base).rounds, 0u);
  EXPECT_FALSE(compare_paired(challenger, base).faster());
}

TEST(DecideRace, EqualOnesRarelyReplaceTheDefault) {
  int replaced = 0;
  constexpr int kRaces = 400;
  for (uint64_t race = 0; race < kRaces; ++race) {
    std::vector<Racer> racers;
    for (uint64_t i = 0; i < 5; ++i) racers.push_back({samples(1, 12, 0.01, 1000 * race + i)});
    replaced += decide_race(racers, 0).winner != 0;
  }
  EXPECT_LE(replaced, kRaces / 20 + 8);
}

TEST(DecideRace, FasterOneWins) {
  const std::vector<Racer> racers = {
      {samples(1, 12, 0.01, 1)}, {samples(0.93, 12, 0.01, 2)}, {samples(0.97, 12, 0.01, 3)}};
  const RaceResult result = decide_race(racers, 0);
  EXPECT_EQ(result.winner, 1u);
  EXPECT_EQ(result.runner_up, 2u);
  EXPECT_NEAR(*result.margin_pct, 100 * (0.97 / 0.93 - 1), 1.5);
}

TEST(DecideRace, DefaultAlone) {
  const RaceResult result = decide_race({{{1, 1, 1}}}, 0);
  EXPECT_EQ(result.winner, 0u);
  EXPECT_FALSE(result.runner_up);
}

RaceEntry entry(size_t packing, double ms, bool is_default, uint64_t seed, bool unfused = false) {
  RaceEntry e;
  e.candidate.packing = packing;
  e.candidate.point.mr = static_cast<int>(seed);
  e.is_default = is_default;
  e.is_unfused_control = unfused;
  e.samples = samples(ms, 12, 0.005, seed);
  return e;
}

TEST(Decide, PackingMustBeFasterOverAllBuckets) {
  // Packing 1 gains 10 % for one bucket and loses nothing for the other.
  const std::vector<std::vector<RaceEntry>> better = {
      {entry(0, 1, true, 1), entry(1, 0.9, true, 2), entry(1, 1.2, false, 3, true)},
      {entry(0, 1, true, 4), entry(1, 1, true, 5)}};
  const Decision decision = decide(better, 1);
  EXPECT_EQ(decision.packing, 1u);
  EXPECT_EQ(decision.cells[0].winner, 1u);
  EXPECT_EQ(decision.cells[0].base, 0u);
  EXPECT_EQ(decision.cells[0].unfused, 2u);
  EXPECT_TRUE(decision.cells[0].against_default->faster());
}

TEST(Decide, PackingThatSlowsOneBucketIsNotTaken) {
  const std::vector<std::vector<RaceEntry>> mixed = {
      {entry(0, 1, true, 1), entry(1, 0.8, true, 2)},
      {entry(0, 1, true, 3), entry(1, 1.05, true, 4)}};
  const Decision decision = decide(mixed, 1);
  EXPECT_EQ(decision.packing, 0u);
  EXPECT_EQ(decision.cells[1].winner, 0u);
  EXPECT_EQ(decision.cells[1].against_default->ratio, 1);
}

TEST(Decide, PackingMustBeatTheBestOfTheDefaultOne) {
  // Faster than the default, but not than what was tuned under the default packing.
  const std::vector<std::vector<RaceEntry>> one = {
      {entry(0, 10, true, 1), entry(0, 9, false, 2), entry(1, 9.7, true, 3)}};
  const Decision decision = decide(one, 1);
  EXPECT_EQ(decision.packing, 0u);
  EXPECT_EQ(decision.cells[0].winner, 1u);
}

TEST(Decide, EqualPackingRarelyReplacesTheDefaultOne) {
  // The best of three under one packing, in each of four buckets, looks faster by luck.
  int replaced = 0;
  constexpr int kRaces = 200;
  for (uint64_t race = 0; race < kRaces; ++race) {
    std::vector<std::vector<RaceEntry>> buckets;
    for (uint64_t b = 0; b < 4; ++b) {
      const uint64_t seed = 100 * race + 10 * b;
      buckets.push_back({entry(0, 1, true, seed), entry(1, 1, true, seed + 1),
                         entry(1, 1, false, seed + 2), entry(1, 1, false, seed + 3)});
    }
    replaced += decide(buckets, 1).packing != 0;
  }
  EXPECT_LE(replaced, kRaces / 20 + 5);
}

TEST(Decide, DefaultPackingThatDoesNotRunIsReplaced) {
  const std::vector<std::vector<RaceEntry>> buckets = {
      {entry(0, 1, true, 1), entry(1, 1.2, true, 2)}, {entry(1, 1, true, 3)}};
  EXPECT_EQ(decide(buckets, 1).packing, 1u);
}

TEST(Decide, OtherPackingsDefaultHasNoClaim) {
  // Under packing 1 the fast point must not lose to that packing's own, slow default.
  std::vector<std::vector<RaceEntry>> one = {
      {entry(0, 1, true, 1), entry(1, 1.5, true, 2), entry(1, 0.8, false, 3)}};
  for (double& ms : one[0][2].samples) ms *= 1 + 0.001 * (&ms - one[0][2].samples.data());
  const Decision decision = decide(one, 1);
  EXPECT_EQ(decision.packing, 1u);
  EXPECT_EQ(decision.cells[0].winner, 2u);
  EXPECT_TRUE(decision.cells[0].against_default->faster());
}

TEST(Decide, NoiseKeepsTheDefaultPacking) {
  std::vector<std::vector<RaceEntry>> noisy = {{entry(0, 1, true, 1), entry(1, 0.97, true, 2)}};
  for (size_t i = 0; i < noisy[0][1].samples.size(); i += 2) noisy[0][1].samples[i] *= 4;
  EXPECT_EQ(decide(noisy, 1).packing, 0u);
}

TEST(Decide, WithoutADefaultTheFastestWins) {
  const std::vector<std::vector<RaceEntry>> one = {
      {entry(0, 1.1, false, 1), entry(0, 1, false, 2)}};
  const Decision decision = decide(one, 0);
  EXPECT_EQ(decision.cells[0].winner, 1u);
  EXPECT_FALSE(decision.cells[0].base);
  EXPECT_FALSE(decision.cells[0].against_default);
}

}  // namespace
}  // namespace gatefold
