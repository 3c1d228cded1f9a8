#include "tuning/strategy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "spec/error.h"
#include "tests/tuning/small_space.h"
#include "tests/tuning/synthetic_space.h"
#include "tuning/seeded_random.h"
#include "tuning/standings.h"

namespace gatefold::test {
namespace {

StrategyInput input(const SearchSpace& space, uint64_t seed, std::optional<int> budget = {}) {
  StrategyInput in{space};
  in.seed = seed;
  in.budget = budget;
  return in;
}

/// Any time, or a failure, but always the same for the same kernel.
double random_answer(const Candidate& c) {
  const double noise = noise_of(text(c), 5);
  return noise < 0.1 ? kUnknown : std::exp(noise_of(text(c), 6));
}

double one(const Candidate&) { return 1; }

/// The first `count` proposals when `batch` of them are asked for before they are told.
template <typename Time>
std::vector<std::string> proposals(Strategy& strategy, size_t count, Time ms, size_t batch = 1) {
  std::vector<std::string> asked;
  while (asked.size() < count) {
    std::vector<Candidate> now;
    while (now.size() < batch && asked.size() + now.size() < count) {
      const auto candidate = strategy.ask();
      if (!candidate) break;
      now.push_back(*candidate);
    }
    if (now.empty()) break;
    for (const Candidate& c : now) {
      asked.push_back(text(c));
      strategy.tell(c, ms(c));
    }
  }
  return asked;
}

/// What all strategies must do.
class EveryStrategy : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Strategy> make(const SearchSpace& space, uint64_t seed,
                                 std::optional<int> budget = {}) {
    return make_strategy(GetParam(), input(space, seed, budget));
  }
  template <typename Time>
  std::vector<std::string> run(uint64_t seed, size_t count, Time ms, size_t batch = 1) {
    const SearchSpace s = small_space();
    return proposals(*make(s, seed, static_cast<int>(count)), count, ms, batch);
  }
};

TEST_P(EveryStrategy, SameSeedSameProposals) {
  for (size_t batch : {1, 4, 7}) {
    const auto first = run(7, 90, random_answer, batch);
    EXPECT_EQ(first.size(), 90u);
    EXPECT_EQ(run(7, 90, random_answer, batch), first);
    if (GetParam() == "exhaustive") continue;
    EXPECT_NE(run(8, 90, random_answer, batch), first);
  }
}

/// As the tuner resumes: it asks from the start, and answers from what it stored.
TEST_P(EveryStrategy, SameProposalsAfterAResume) {
  const SearchSpace s = small_space();
  const auto undisturbed = run(3, 96, random_answer, 6);
  for (size_t killed_after : {5, 31, 60, 95}) {
    std::map<std::string, double> stored;
    const auto measure = [&](const Candidate& c) { return stored[text(c)] = random_answer(c); };
    auto before = make(s, 3, 96);
    proposals(*before, killed_after, measure, 6);
    before.reset();
    size_t measured = 0;
    const auto resume = [&](const Candidate& c) {
      const auto known = stored.find(text(c));
      if (known != stored.end()) return known->second;
      ++measured;
      return random_answer(c);
    };
    EXPECT_EQ(proposals(*make(s, 3, 96), 96, resume, 6), undisturbed);
    EXPECT_EQ(measured, 96 - killed_after);
  }
}

/// In whatever order the answers of a batch come.
TEST_P(EveryStrategy, AnswersOfABatchMayComeInAnyOrderAndLate) {
  const SearchSpace s = small_space();
  const auto strategy = make(s, 2, 120);
  std::set<std::string> seen;
  std::vector<Candidate> open;
  SeededRandom random(9);
  for (int i = 0; i < 120; ++i) {
    const auto c = strategy->ask();
    ASSERT_TRUE(c);
    EXPECT_TRUE(seen.insert(text(*c)).second) << text(*c);
    open.push_back(*c);
    while (open.size() > random.below(12)) {
      std::swap(open[random.below(open.size())], open.back());
      strategy->tell(open.back(), random_answer(open.back()));
      open.pop_back();
    }
  }
}

TEST_P(EveryStrategy, NoAnswersAtAllDoNotStopIt) {
  const SearchSpace s = small_space();
  const auto strategy = make(s, 2, 120);
  std::set<std::string> seen;
  for (int i = 0; i < 120; ++i) {
    const auto c = strategy->ask();
    ASSERT_TRUE(c);
    EXPECT_TRUE(seen.insert(text(*c)).second) << text(*c);
  }
}

TEST_P(EveryStrategy, DefaultsOfEveryPackingComeFirst) {
  const SearchSpace s = small_space();
  const size_t defaults = s.packings.size() * s.buckets.size();
  const auto strategy = make(s, 1);
  for (size_t i = 0; i < defaults; ++i) {
    const Candidate c = strategy->ask().value();
    EXPECT_EQ(c.point, s.default_point(c.packing, c.bucket));
    EXPECT_EQ(c.packing, i / s.buckets.size());
    EXPECT_EQ(c.proposer, "default");
    strategy->tell(c, 1);
  }
  EXPECT_NE(strategy->ask()->proposer, "default");
}

/// Nothing is taken for tried that was not proposed.
TEST_P(EveryStrategy, ProposesLegalPointsOnceAndAllOfThem) {
  const SearchSpace s = small_space({2});
  std::set<std::string> all;
  for (size_t p = 0; p < s.packings.size(); ++p) {
    for (const SchedulePoint& point : legal_points(s.kernel(p, 0)))
      all.insert(text({p, 0, point, ""}));
    all.insert(text({p, 0, s.default_point(p, 0), ""}));
  }
  const auto strategy = make(s, 3, 1 << 20);
  std::set<std::string> seen;
  std::vector<Candidate> open;
  while (const auto c = strategy->ask()) {
    EXPECT_TRUE(seen.insert(text(*c)).second) << text(*c);
    EXPECT_FALSE(why_illegal(s.kernel(c->packing, c->bucket, c->point))) << text(*c);
    open.push_back(*c);
    if (open.size() < 3) continue;
    // Equal times keep all packings in the race.
    for (const Candidate& known : open) strategy->tell(known, 1);
    open.clear();
  }
  EXPECT_EQ(seen, all);
}

TEST_P(EveryStrategy, OnlyThePackingThatMustBeChosenIsSearched) {
  SearchSpace s = small_space({2});
  s.only_packing = 1;
  const auto strategy = make(s, 3, 60);
  for (int i = 0; i < 60; ++i) EXPECT_EQ(strategy->ask().value().packing, 1u);
}

TEST_P(EveryStrategy, FailedDefaultsDoNotEndTheSearch) {
  EXPECT_EQ(run(1, 40, [](const Candidate&) { return kUnknown; }).size(), 40u);
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy,
                         testing::Values("forest", "ils", "coordinate", "random", "exhaustive"),
                         [](const auto& test) { return test.param; });

TEST(AllStrategies, AreTested) {
  std::set<std::string> names;
  for (const StrategyInfo& s : all_strategies()) names.insert(s.name);
  EXPECT_EQ(names, (std::set<std::string>{"forest", "ils", "coordinate", "random", "exhaustive"}));
  EXPECT_TRUE(names.contains(kDefaultStrategy));
}

/// What all but the exhaustive one do.
class EverySearch : public EveryStrategy {
 protected:
  template <typename Time>
  std::vector<Candidate> after_defaults(const SearchSpace& s, size_t count, Time ms) {
    const auto strategy = make(s, 1);
    std::vector<Candidate> asked;
    for (size_t i = 0; i < s.packings.size() * s.buckets.size() + count; ++i) {
      asked.push_back(strategy->ask().value());
      strategy->tell(asked.back(), ms(asked.back()));
    }
    return {asked.end() - static_cast<std::ptrdiff_t>(count), asked.end()};
  }
};

TEST_P(EverySearch, BucketsTakeTurns) {
  const std::vector<Candidate> asked = after_defaults(small_space(), 45, one);
  for (size_t i = 0; i < asked.size(); ++i) EXPECT_EQ(asked[i].bucket, i % 3) << i;
}

TEST_P(EverySearch, PackingsFarBehindAreDropped) {
  const auto slow_others = [](const Candidate& c) { return c.packing == 1 ? 1.0 : 1.3; };
  for (const Candidate& c : after_defaults(small_space(), 40, slow_others)) {
    EXPECT_EQ(c.packing, 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(All, EverySearch, testing::Values("forest", "ils", "coordinate", "random"),
                         [](const auto& test) { return test.param; });

TEST(MakeStrategy, UnknownNameSuggests) {
  const SearchSpace s = small_space();
  try {
    make_strategy("randon", input(s, 1));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("did you mean 'random'"), std::string::npos);
    for (const StrategyInfo& s : all_strategies()) {
      EXPECT_NE(std::string(e.what()).find(s.name), std::string::npos);
    }
  }
}

TEST(ModelOf, AsksForTheCandidatesKernel) {
  const SearchSpace s = small_space();
  EXPECT_FALSE(model_of(s, {}, 1));
  const auto model = model_of(
      s,
      [](const KernelSpec& k, const CpuProfile& cpu, int threads) {
        return double(k.rows.tuned_rows * 100 + k.point.mr * 10 + threads) +
               (cpu.name == "generic");
      },
      3);
  SchedulePoint point;
  point.mr = 2;
  EXPECT_EQ(model({1, 2, point, ""}), 16 * 100 + 20 + 3 + 1);
}

TEST(Standings, ObjectiveIsTheGeometricMean) {
  const SearchSpace s = small_space({1, 4});
  Standings standings(s);
  standings.tell({0, 0, {}, ""}, 2);
  EXPECT_TRUE(std::isinf(standings.objective(0)));
  standings.tell({0, 1, {}, ""}, 8);
  standings.tell({0, 1, {}, ""}, 9);
  standings.tell({0, 1, {}, ""}, kUnknown);
  EXPECT_NEAR(standings.objective(0), 4, 1e-12);
  EXPECT_EQ(standings.best_packing(), 0u);
  standings.set_best(0, 1, 18);
  EXPECT_NEAR(standings.objective(0), 6, 1e-12) << "measured again, it was slower";
}

TEST(SearchSpace, UnfusedControlIsLegalAndUnfused) {
  const SearchSpace s = small_space();
  for (size_t p = 0; p < s.packings.size(); ++p) {
    for (size_t b = 0; b < s.buckets.size(); ++b) {
      const auto point = s.unfused_point(p, b);
      ASSERT_TRUE(point);
      EXPECT_EQ(point->fusion, Fusion::unfused);
      EXPECT_FALSE(why_illegal(s.kernel(p, b, *point)));
    }
  }
}

TEST(SeededRandom, StaysBelowItsBoundAndReachesAll) {
  SeededRandom random(5);
  std::set<uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(10));
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(*seen.rbegin(), 9u);
}

}  // namespace
}  // namespace gatefold::test
