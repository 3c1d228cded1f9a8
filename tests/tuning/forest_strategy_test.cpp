// The default strategy, and above all the faults that loops of its kind have had.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/tuning/small_space.h"
#include "tests/tuning/synthetic_space.h"
#include "tuning/space_index.h"
#include "tuning/strategies/ledger.h"
#include "tuning/strategies/surrogate.h"
#include "tuning/strategy.h"

namespace gatefold::test {
namespace {

class ForestSearch : public testing::Test {
 protected:
  StrategyInput input(std::optional<int> budget = {}) {
    StrategyInput in{space_};
    in.seed = 4;
    in.budget = budget;
    in.index = index_;
    return in;
  }
  double ms(const Candidate& c) const {
    return synthetic_ms(space_.kernel(c.packing, c.bucket, c.point));
  }
  Candidate next(Strategy& strategy) {
    const Candidate c = strategy.ask().value();
    strategy.tell(c, ms(c));
    return c;
  }
  std::vector<Candidate> run(Strategy& strategy, size_t count) {
    std::vector<Candidate> asked;
    while (asked.size() < count) asked.push_back(next(strategy));
    return asked;
  }
  const Candidate& best(const std::vector<Candidate>& asked) const {
    return *std::min_element(asked.begin(), asked.end(),
                             [&](const auto& a, const auto& b) { return ms(a) < ms(b); });
  }
  PointId id(const Candidate& c) {
    return index_->points(c.bucket).find(c.packing, c.point).value();
  }
  bool neighbours(const Candidate& from, const Candidate& to) {
    for (const Move& m : index_->moves(from.bucket, id(from))) {
      if (m.to == id(to)) return true;
    }
    return false;
  }

  SearchSpace space_ = synthetic_space(16).search_space();
  std::shared_ptr<SpaceIndex> index_ = std::make_shared<SpaceIndex>(space_);
};

TEST_F(ForestSearch, TurnsAreAPortfolio) {
  const auto strategy = make_strategy("forest", input(1000));
  std::map<std::string, int> proposers;
  run(*strategy, 11);  // three defaults and eight seeds
  for (const Candidate& c : run(*strategy, 80)) ++proposers[c.proposer];
  EXPECT_EQ(proposers, (std::map<std::string, int>{{"forest", 40}, {"random", 10}, {"step", 30}}));
}

TEST_F(ForestSearch, TheLastQuarterPolishes) {
  const auto strategy = make_strategy("forest", input(100));
  for (const Candidate& c : run(*strategy, 75)) EXPECT_NE(c.proposer, "polish");
  for (const Candidate& c : run(*strategy, 10)) EXPECT_EQ(c.proposer, "polish");
}

TEST_F(ForestSearch, WithoutANumberOfTrialsSomeTurnsPolish) {
  const auto strategy = make_strategy("forest", input());
  std::map<std::string, int> proposers;
  for (const Candidate& c : run(*strategy, 11 + 64)) ++proposers[c.proposer];
  EXPECT_EQ(proposers["polish"], 16);
}

TEST_F(ForestSearch, FindsWhatRandomSearchDoesNot) {
  const auto forest = make_strategy("forest", input(100)),
             random = make_strategy("random", input());
  EXPECT_LT(ms(best(run(*forest, 100))), ms(best(run(*random, 100))));
}

// Fault 1 of loops like this: what was looked at counts as tried, and is never measured.
TEST_F(ForestSearch, LookingAtAPointDoesNotUseItUp) {
  Ledger ledger(input());
  Surrogate surrogate(ledger, 0, 4);
  SeededRandom random(1);
  for (int i = 0; i < 20; ++i) {
    const Candidate c = ledger.ask(0, ledger.random_open(0, random).value(), "x");
    ledger.tell(c, ms(c));
  }
  ASSERT_TRUE(surrogate.update());
  ASSERT_FALSE(surrogate.outlooks().empty());
  for (const Surrogate::Outlook& o : surrogate.outlooks()) EXPECT_TRUE(ledger.open(0, o.id));
  size_t untried = 0;
  for (PointId i = 0; i < ledger.points(0).size(); ++i) untried += !ledger.asked(0, i);
  EXPECT_EQ(untried, ledger.points(0).size() - 20);
}

// Fault 2: a share of few things rounds down to none, and a part of the search does nothing.
TEST_F(ForestSearch, FewAnswersAreEnoughForEveryPart) {
  const SearchSpace small = small_space({2});
  StrategyInput in{small};
  in.budget = 16;
  const auto strategy = make_strategy("forest", in);
  std::set<std::string> proposers;
  for (int i = 0; i < 16; ++i) {
    const Candidate c = strategy->ask().value();
    proposers.insert(c.proposer);
    // Only one of the first answers is a time.
    strategy->tell(c, i == 0 || i > 8 ? 1.0 + i : kUnknown);
  }
  EXPECT_TRUE(proposers.contains("forest"));
  EXPECT_TRUE(proposers.contains("polish"));
  for (size_t answers : {4, 5, 7}) {
    Ledger ledger(input());
    Surrogate surrogate(ledger, 0, 4);
    for (PointId i = 0; i < answers; ++i) ledger.tell(ledger.ask(0, i, "x"), i == 2 ? 1 : kUnknown);
    ASSERT_TRUE(surrogate.update());
    // The one answer that is good promises something.
    double least = 0;
    for (const Surrogate::Outlook& o : surrogate.outlooks()) least = std::min(least, o.promise);
    EXPECT_LT(least, 0) << answers;
  }
}

// Fault 3: the best point gets lost under newer ones, and the search goes on around worse.
TEST_F(ForestSearch, TheBestStaysWhateverComesAfterIt) {
  const auto strategy = make_strategy("forest", input(200));
  std::optional<Candidate> best;
  for (int i = 0; i < 150; ++i) {
    const Candidate c = strategy->ask().value();
    const bool fastest = i == 140;
    strategy->tell(c, fastest ? 1.0 : 5.0 + 0.01 * (150 - i));
    if (fastest) best = c;
  }
  for (int i = 0; i < 4; ++i) {
    const Candidate c = strategy->ask().value();
    ASSERT_EQ(c.proposer, "polish");
    EXPECT_TRUE(neighbours(*best, c)) << c.point.text();
    strategy->tell(c, 9);
  }
}

// Fault 4: what was measured again keeps its first time, and so does what is learnt from it.
TEST_F(ForestSearch, TheNewTimeOfARepeatedMeasurementCounts) {
  const auto strategy = make_strategy("forest", input(100));
  const std::vector<Candidate> asked = run(*strategy, 74);
  const Candidate lucky = asked[30];
  strategy->tell(lucky, 1e-3);
  strategy->tell(lucky, 1e3);
  const Candidate real = best(asked);
  next(*strategy);
  const Candidate polished = next(*strategy);
  ASSERT_EQ(polished.proposer, "polish");
  EXPECT_FALSE(neighbours(lucky, polished) && !neighbours(real, polished));

  Ledger ledger(input());
  Surrogate surrogate(ledger, 0, 4);
  for (PointId i = 0; i < 40; ++i) ledger.tell(ledger.ask(0, i * 7, "x"), 1 + 0.01 * i);
  ASSERT_TRUE(surrogate.update());
  const double before = surrogate.expected(0);
  for (int i = 0; i < 2; ++i) ledger.tell(ledger.points(0).candidate(0, "x"), 3);
  ASSERT_TRUE(surrogate.update());
  EXPECT_EQ(ledger.told(0).size(), 40u);
  EXPECT_GT(surrogate.expected(0), before + 0.1);
}

TEST_F(ForestSearch, AFailureTeachesToKeepAway) {
  const auto strategy = make_strategy("forest", input(400));
  int failed = 0;
  for (int i = 0; i < 200; ++i) {
    const Candidate c = strategy->ask().value();
    const bool fails = c.point.fusion == Fusion::blocked;
    strategy->tell(c, fails ? kUnknown : ms(c));
    if (i >= 100 && c.proposer == "forest") failed += fails;
  }
  EXPECT_LT(failed, 5);
}

TEST(JointSearch, ABucketSearchesUnderThePackingThatTheOthersNeed) {
  // Few rows would like packing 1 by 5 %, the others lose 20 % with it.
  const SearchSpace space = small_space({1, 4, 16});
  StrategyInput in{space};
  in.budget = 400;
  Ledger ledger(in);
  for (size_t p = 0; p < space.packings.size(); ++p) {
    for (size_t b = 0; b < 3; ++b) {
      const double ms = p == 2 ? 9 : b == 0 ? (p == 1 ? 0.95 : 1.0) : (p == 1 ? 1.2 : 1.0);
      ledger.tell(ledger.ask(b, *ledger.points(b).default_of(p), "default"), ms);
    }
  }
  EXPECT_FALSE(ledger.hopeless(0));
  EXPECT_FALSE(ledger.hopeless(1));
  EXPECT_TRUE(ledger.hopeless(2));
  const auto elites = ledger.elites(0, 2);
  ASSERT_EQ(elites.size(), 2u);
  EXPECT_EQ(ledger.points(0).packing(elites[0]), 0u);
}

}  // namespace
}  // namespace gatefold::test
