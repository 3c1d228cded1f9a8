#include "tuning/strategy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "schedules/space.h"
#include "spec/error.h"
#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

SearchSpace space(std::vector<int64_t> rows = {1, 4, 16}) {
  SearchSpace s;
  s.ffn = fake_ffn();
  s.target = Target::x86_avx2;
  s.cpu = cpu_profile_named("generic");
  s.buckets = row_buckets(rows);
  s.packings = legal_packings(s.ffn, s.target);
  return s;
}

std::string text(const Candidate& c) {
  return std::to_string(c.packing) + "/" + std::to_string(c.bucket) + "/" + c.point.text();
}

/// The first `count` proposals when every trial takes as long as `ms` says.
template <typename Time>
std::vector<Candidate> proposals(uint64_t seed, size_t count, Time ms) {
  const auto strategy = make_strategy("random", space(), seed);
  std::vector<Candidate> asked;
  while (asked.size() < count) {
    const auto candidate = strategy->ask();
    if (!candidate) break;
    asked.push_back(*candidate);
    strategy->tell(*candidate, ms(*candidate));
  }
  return asked;
}

std::vector<std::string> texts(const std::vector<Candidate>& candidates) {
  std::vector<std::string> out;
  for (const Candidate& c : candidates) out.push_back(text(c));
  return out;
}

double one(const Candidate&) { return 1; }

TEST(RandomStrategy, SameSeedSameProposals) {
  EXPECT_EQ(texts(proposals(7, 60, one)), texts(proposals(7, 60, one)));
  EXPECT_NE(texts(proposals(7, 60, one)), texts(proposals(8, 60, one)));
}

TEST(RandomStrategy, DefaultsOfEveryPackingComeFirst) {
  const SearchSpace s = space();
  const size_t defaults = s.packings.size() * s.buckets.size();
  const std::vector<Candidate> asked = proposals(1, defaults + 1, one);
  for (size_t i = 0; i < defaults; ++i) {
    EXPECT_EQ(asked[i].point, s.default_point(asked[i].packing, asked[i].bucket));
    EXPECT_EQ(asked[i].packing, i / s.buckets.size());
  }
  EXPECT_EQ(asked.back().proposer, "random");
}

TEST(RandomStrategy, ProposesLegalPointsOnceAndAllOfThem) {
  const SearchSpace s = space({2});
  std::set<std::string> all;
  for (size_t p = 0; p < s.packings.size(); ++p) {
    for (const SchedulePoint& point : legal_points(s.kernel(p, 0)))
      all.insert(text({p, 0, point, ""}));
    all.insert(text({p, 0, s.default_point(p, 0), ""}));
  }
  const auto strategy = make_strategy("random", s, 3);
  std::set<std::string> seen;
  while (const auto c = strategy->ask()) {
    EXPECT_TRUE(seen.insert(text(*c)).second) << text(*c);
    EXPECT_FALSE(why_illegal(s.kernel(c->packing, c->bucket, c->point))) << text(*c);
    strategy->tell(*c, 1);
  }
  EXPECT_EQ(seen, all);
}

TEST(RandomStrategy, BucketsTakeTurns) {
  const SearchSpace s = space();
  const size_t defaults = s.packings.size() * s.buckets.size();
  const std::vector<Candidate> asked = proposals(1, defaults + 9, one);
  for (size_t i = defaults; i < asked.size(); ++i) EXPECT_EQ(asked[i].bucket, (i - defaults) % 3);
}

TEST(RandomStrategy, PackingsFarBehindAreDropped) {
  const auto slow_others = [](const Candidate& c) { return c.packing == 1 ? 1.0 : 1.3; };
  const SearchSpace s = space();
  const size_t defaults = s.packings.size() * s.buckets.size();
  const std::vector<Candidate> asked = proposals(1, defaults + 20, slow_others);
  for (size_t i = defaults; i < asked.size(); ++i) EXPECT_EQ(asked[i].packing, 1u);
}

TEST(RandomStrategy, FailedDefaultsDoNotEndTheSearch) {
  const auto failing = [](const Candidate&) { return kUnknown; };
  EXPECT_EQ(proposals(1, 40, failing).size(), 40u);
}

TEST(MakeStrategy, UnknownNameSuggests) {
  try {
    make_strategy("randon", space(), 1);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("random"), std::string::npos);
  }
}

TEST(Standings, ObjectiveIsTheGeometricMean) {
  const SearchSpace s = space({1, 4});
  Standings standings(s);
  standings.tell({0, 0, {}, ""}, 2);
  EXPECT_TRUE(std::isinf(standings.objective(0)));
  standings.tell({0, 1, {}, ""}, 8);
  standings.tell({0, 1, {}, ""}, 9);
  standings.tell({0, 1, {}, ""}, kUnknown);
  EXPECT_NEAR(standings.objective(0), 4, 1e-12);
  EXPECT_EQ(standings.best_packing(), 0u);
}

TEST(SearchSpace, UnfusedControlIsLegalAndUnfused) {
  const SearchSpace s = space();
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
