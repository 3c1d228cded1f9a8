#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedules/space.h"

namespace gatefold {
namespace {

KernelSpec place(Target target, DType dtype, const Shape& shape, int64_t rows) {
  const FfnSpec ffn{variant_named("swiglu"), dtype, shape, false};
  return {ffn, target, {rows, rows, rows}, legal_packings(ffn, target).front(), {}};
}

int64_t refused_points(const SpaceCensus& census) {
  int64_t points = 0;
  for (const auto& [tunable, r] : census.refused) points += r.points;
  return points;
}

TEST(SpaceCensus, EveryPointOfTheProductIsLegalOrRefusedForAReason) {
  for (const TargetInfo& target : all_targets()) {
    for (const DTypeInfo& dtype : all_dtypes()) {
      for (const Shape& shape : {Shape{}, Shape{37, 1}, Shape{512, 1365}}) {
        for (int64_t rows : {1, 16, 256}) {
          const KernelSpec k = place(target.target, dtype.dtype, shape, rows);
          const SpaceCensus found = census(k);
          int64_t product = static_cast<int64_t>(found.fusions.size());
          for (const Axis& axis : found.axes) product *= static_cast<int64_t>(axis.values.size());
          EXPECT_EQ(found.product, product);
          EXPECT_EQ(found.legal, static_cast<int64_t>(legal_points(k).size()));
          EXPECT_EQ(found.legal + refused_points(found), product) << shape.text() << " " << rows;
        }
      }
    }
  }
}

TEST(SpaceCensus, ReasonsStandByTheirTunable) {
  const SpaceCensus found = census(place(Target::x86_avx2, DType::f32, {4096, 11008}, 16));
  for (const auto& [tunable, r] : found.refused) {
    EXPECT_EQ(r.example.rfind(tunable + "=", 0), 0u) << tunable << ": " << r.example;
    EXPECT_NE(r.example.find(", wanted "), std::string::npos) << r.example;
  }
  for (const char* tunable : {"mr", "streams", "unroll", "mb", "slices"})
    EXPECT_EQ(found.refused.count(tunable), 1u) << tunable;
}

/// What was cut without a word before: row blocks that are legal but not worth a trial.
TEST(SpaceCensus, RowBlocksThatMakeNoSenseHaveAReason) {
  KernelSpec k = place(Target::x86_avx2, DType::f32, {4096, 11008}, 16);
  k.point.fusion = Fusion::blocked;
  k.point.mb = 1;
  EXPECT_EQ(why_illegal(k).value_or(""), "") << "it can be emitted";
  for (const SchedulePoint& p : legal_points(k)) EXPECT_NE(p, k.point);
  EXPECT_THAT(census(k).refused.at("mb").example, testing::HasSubstr("wanted"));
}

TEST(SpaceCensus, AnIllegalBlockHasNoLegalPoint) {
  const SpaceCensus found = census(place(Target::x86_avx2, DType::f32, {1 << 20, 1 << 20}, 1));
  EXPECT_EQ(found.legal, 0);
  EXPECT_EQ(found.refused.count("d_model"), 1u);
}

}  // namespace
}  // namespace gatefold
