#include "tuning/neighbourhood.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "tests/tuning/small_space.h"
#include "tests/tuning/synthetic_space.h"

namespace gatefold::test {
namespace {

constexpr size_t place_of(const char* tunable) {
  size_t place = BucketPoints::kFirstTunable;
  for (const Tunable& t : kTunables) {
    if (std::string_view(t.name) == tunable) return place;
    ++place;
  }
  return 0;
}

class Neighbours : public testing::Test {
 protected:
  PointId id(const std::string& point, size_t packing = 0) {
    const auto found = points_.find(packing, parse_point(point));
    EXPECT_TRUE(found) << point;
    return found.value_or(0);
  }
  /// The points one step away in this place.
  std::set<std::string> texts(PointId from, size_t place) {
    std::set<std::string> found;
    for (const Move& move : near_.of(from)) {
      if (move.place == place) found.insert(points_.point(move.to).text());
    }
    return found;
  }

  const RecordedSpace recorded_ = synthetic_space(16, {512, 1376});
  const SearchSpace space_ = recorded_.search_space();
  const BucketPoints points_{space_, 0};
  Neighbourhood near_{points_};
};

TEST_F(Neighbours, PointsAreFoundByWhatTheyAre) {
  for (PointId i = 0; i < points_.size(); ++i) {
    const Candidate c = points_.candidate(i, "x");
    EXPECT_EQ(points_.find(c.packing, c.point), i);
    EXPECT_FALSE(why_illegal(space_.kernel(c.packing, 0, c.point)));
  }
  SchedulePoint none;
  none.pf = 77;
  EXPECT_FALSE(points_.find(0, none));
}

TEST_F(Neighbours, DefaultsAreAmongThePoints) {
  for (size_t p = 0; p < space_.packings.size(); ++p) {
    EXPECT_EQ(points_.point(points_.default_of(p).value()), space_.default_point(p, 0));
    EXPECT_EQ(points_.packing(*points_.default_of(p)), p);
  }
}

TEST_F(Neighbours, OneTunableGoesToTheNextValue) {
  const PointId from = id("fusion=gated mr=4 streams=2 kb=0 pf=64 unroll=1 xpack=1");
  const auto with = [](const std::string& changed) {
    return parse_point(changed, parse_point("fusion=gated mr=4 streams=2 kb=0 pf=64 unroll=1 "
                                            "mb=0 slices=0 xpack=1"))
        .text();
  };
  EXPECT_EQ(texts(from, place_of("mr")), (std::set{with("mr=3"), with("mr=5")}));
  EXPECT_EQ(texts(from, place_of("pf")), (std::set{with("pf=32"), with("pf=96")}));
  EXPECT_EQ(texts(from, place_of("xpack")), (std::set{with("xpack=0")}));
}

TEST_F(Neighbours, WhereTheRestMustChangeItChangesLittle) {
  // Unrolled loops have no prefetch.
  const PointId from = id("fusion=gated mr=4 streams=2 kb=0 pf=64 unroll=1 xpack=1");
  const std::set<std::string> unrolled = texts(from, place_of("unroll"));
  EXPECT_EQ(unrolled, (std::set{parse_point("fusion=gated mr=4 streams=2 kb=0 pf=0 unroll=2 mb=0 "
                                            "slices=0 xpack=1")
                                    .text()}));
}

TEST_F(Neighbours, FusionAndPackingChangeWithTheRestAsNearAsPossible) {
  const PointId from = id("fusion=gated mr=4 streams=2 kb=0 pf=64 unroll=1 xpack=1");
  std::set<Fusion> fusions;
  std::set<size_t> packings;
  for (const Move& move : near_.of(from)) {
    const SchedulePoint& to = points_.point(move.to);
    if (move.place == BucketPoints::kFusionPlace) {
      fusions.insert(to.fusion);
      EXPECT_EQ(to.mr, 4);
      EXPECT_EQ(to.pf, 64);
      EXPECT_EQ(points_.packing(move.to), 0u);
    }
    if (move.place == BucketPoints::kPackingPlace) {
      packings.insert(points_.packing(move.to));
      EXPECT_EQ(to.fusion, Fusion::gated);
      EXPECT_EQ(to.pf, 64);
    }
  }
  EXPECT_EQ(fusions, (std::set{Fusion::blocked, Fusion::streamed, Fusion::unfused}));
  EXPECT_EQ(packings, (std::set<size_t>{1, 2}));
}

TEST_F(Neighbours, NoPointIsItsOwnNeighbourOrOneTwice) {
  for (PointId i = 0; i < points_.size(); i += 17) {
    std::set<PointId> seen = {i};
    for (const Move& move : near_.of(i)) EXPECT_TRUE(seen.insert(move.to).second) << i;
  }
}

TEST_F(Neighbours, EveryPointIsReachedFromTheDefault) {
  std::vector<bool> seen(points_.size());
  std::deque<PointId> open = {*points_.default_of(0)};
  seen[open.front()] = true;
  while (!open.empty()) {
    const PointId at = open.front();
    open.pop_front();
    for (const Move& move : near_.of(at)) {
      if (!seen[move.to]) open.push_back(move.to);
      seen[move.to] = true;
    }
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0);
}

TEST_F(Neighbours, DistancesCountChangesAndDoublings) {
  const PointId a = id("fusion=gated mr=4 streams=2 kb=0 pf=64 unroll=1 xpack=1");
  const PointId b = id("fusion=gated mr=4 streams=2 kb=0 pf=32 unroll=1 xpack=0");
  EXPECT_EQ(points_.hamming(a, a), 0);
  EXPECT_EQ(points_.hamming(a, b), 2);
  EXPECT_EQ(points_.distance(a, b), points_.distance(b, a));
  EXPECT_NEAR(points_.distance(a, b), 1978, 2);
}

}  // namespace
}  // namespace gatefold::test
