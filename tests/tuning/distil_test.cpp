#include "tuning/distil.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

MeasuredCell cell(int64_t rows, std::map<std::string, double> ms) {
  MeasuredCell c;
  c.key.ffn = fake_ffn();
  c.rows = rows;
  c.packing = "p";
  c.ms = std::move(ms);
  return c;
}

Distilled one(const std::vector<MeasuredCell>& cells, size_t most = kMostDistilled) {
  const std::vector<Distilled> all = distil(cells, most);
  EXPECT_EQ(all.size(), 1u);
  return all.at(0);
}

TEST(Distil, OnePointThatIsNearTheBestEverywhereIsEnough) {
  const Distilled d = one({cell(1, {{"a", 1.00}, {"b", 1.03}, {"c", 2.0}}),
                           cell(4, {{"a", 2.00}, {"b", 1.01}, {"c", 1.0}}),
                           cell(16, {{"a", 3.0}, {"b", 1.0}, {"c", 2.0}})});
  EXPECT_THAT(d.points, ElementsAre("b"));
  EXPECT_NEAR(*d.worst, 0.03, 1e-9);
  EXPECT_NEAR(*d.mean, 0.04 / 3, 1e-9);
  EXPECT_THAT(d.uncovered, IsEmpty());
  ASSERT_EQ(d.cells.size(), 3u);
  EXPECT_EQ(d.cells[0].point, "b");
}

TEST(Distil, AMinorPointIsAddedWhereTheMajorOneLosesTooMuch) {
  const Distilled d = one({cell(1, {{"a", 1.0}, {"b", 1.2}}), cell(4, {{"a", 1.0}, {"b", 1.1}}),
                           cell(16, {{"a", 1.06}, {"b", 1.0}})});
  EXPECT_THAT(d.points, ElementsAre("a", "b"));
  EXPECT_EQ(*d.worst, 0);
}

TEST(Distil, OfEquallyUsefulPointsTheOneThatLosesLess) {
  const Distilled d = one({cell(1, {{"a", 1.04}, {"b", 1.01}, {"c", 1.0}}),
                           cell(4, {{"a", 1.04}, {"b", 1.01}, {"d", 1.0}})});
  EXPECT_THAT(d.points, ElementsAre("b"));
}

TEST(Distil, WhatWasNotMeasuredIsUnknownAndNotGood) {
  const Distilled d = one({cell(1, {{"a", 1.0}}), cell(4, {{"b", 1.0}})});
  EXPECT_EQ(d.points.size(), 2u) << "neither is known in the other's cell";
  const Distilled few = one({cell(1, {{"a", 1.0}}), cell(4, {{"b", 1.0}})}, 1);
  EXPECT_THAT(few.points, ElementsAre("a"));
  ASSERT_EQ(few.uncovered.size(), 1u);
  EXPECT_EQ(few.uncovered[0].rows, 4);
  EXPECT_FALSE(few.uncovered[0].loss);
  EXPECT_EQ(few.uncovered[0].point, "");
  EXPECT_EQ(*few.mean, 0) << "of the cells where a loss is known";
}

TEST(Distil, CellsBeyondTheLimitAreNamedWithTheirLoss) {
  const Distilled d = one({cell(1, {{"a", 1.0}, {"b", 2.0}}), cell(2, {{"a", 1.0}, {"b", 2.0}}),
                           cell(4, {{"a", 1.5}, {"b", 1.0}})},
                          1);
  EXPECT_THAT(d.points, ElementsAre("a"));
  ASSERT_EQ(d.uncovered.size(), 1u);
  EXPECT_EQ(d.uncovered[0].rows, 4);
  EXPECT_NEAR(*d.uncovered[0].loss, 0.5, 1e-9);
  EXPECT_NEAR(*d.worst, 0.5, 1e-9);
}

TEST(Distil, NoMoreThanEightPoints) {
  std::vector<MeasuredCell> cells;
  for (int i = 0; i < 12; ++i) cells.push_back(cell(i + 1, {{std::string(1, char('a' + i)), 1.0}}));
  const Distilled d = one(cells);
  EXPECT_EQ(d.points.size(), 8u);
  EXPECT_EQ(d.uncovered.size(), 4u);
}

TEST(Distil, CellsWithoutAnyTimeAreNamed) {
  const Distilled d = one({cell(1, {})});
  EXPECT_THAT(d.points, IsEmpty());
  EXPECT_EQ(d.uncovered.size(), 1u);
  EXPECT_FALSE(d.worst);
  EXPECT_THAT(distil({}), IsEmpty());
}

TEST(Distil, TargetsDtypesAndPackingsAreApart) {
  MeasuredCell other = cell(1, {{"a", 1.0}});
  other.packing = "q";
  MeasuredCell bf16 = cell(1, {{"a", 1.0}});
  bf16.key.ffn.dtype = DType::bf16;
  MeasuredCell wide = cell(1, {{"a", 1.0}});
  wide.key.target = Target::x86_avx512;
  EXPECT_EQ(distil({cell(1, {{"a", 1.0}}), other, bf16, wide}).size(), 4u);
}

}  // namespace
}  // namespace gatefold::test
