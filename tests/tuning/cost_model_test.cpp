#include "tuning/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "schedules/space.h"

namespace gatefold::test {
namespace {

/// A place whose points were measured.
struct Place {
  const char* variant;
  DType dtype;
  Shape shape;
  int64_t rows;
  Target target = Target::x86_avx2;
  const char* cpu = "zen3";
  size_t packing = 0;  ///< of the legal ones
};

KernelSpec kernel_at(const Place& place, const std::string& point) {
  const FfnSpec ffn{variant_named(place.variant), place.dtype, place.shape, false};
  KernelSpec kernel{ffn,
                    place.target,
                    {place.rows, place.rows, place.rows},
                    legal_packings(ffn, place.target).at(place.packing),
                    {}};
  kernel.point = parse_point(point);
  return kernel;
}

double ms_at(const Place& place, const std::string& point, int threads = 1) {
  return predicted_ms(kernel_at(place, point), cpu_profile_named(place.cpu), threads);
}

/// Two points of one place of which the first was measured to be faster.
struct Pair {
  const char* what;
  Place place;
  const char* faster;
  const char* slower;
};

void PrintTo(const Pair& pair, std::ostream* out) { *out << pair.what; }

const Place kOne = {"swiglu", DType::f32, {4096, 11008}, 1};
const Place kFour = {"swiglu", DType::f32, {4096, 11008}, 4};
const Place kSixteen = {"swiglu", DType::f32, {4096, 11008}, 16};
const Place kMany = {"swiglu", DType::f32, {4096, 11008}, 192};
const Place kFourBf16 = {"swiglu", DType::bf16, {896, 4864}, 4};
const Place kFourF16 = {"swiglu", DType::f16, {896, 4864}, 4};
const Place kLadder = {"swiglu", DType::f32, {896, 4864}, 16};
const Place kShort = {"swiglu", DType::f32, {2048, 768}, 128};
const Place kWideOne = {"swiglu", DType::bf16, {4096, 11008}, 8, Target::x86_avx512_bf16, "zen5"};
const Place kWideFew = {"swiglu", DType::bf16, {4096, 11008}, 24, Target::x86_avx512_bf16, "zen5"};
const Place kWideSixteen = {"swiglu", DType::bf16, {4096, 11008}, 16, Target::x86_avx512_bf16,
                            "zen5"};
const Place kWideMany = {"swiglu", DType::f32, {4096, 11008}, 192, Target::x86_avx512, "zen5"};

/// The figures stand in schedules/x86_space.cpp and docs/schedule_ladder.md.
const Pair kMeasured[] = {
    {"one row: four streams, not two", kOne, "mr=1 streams=4", "mr=1 streams=2"},
    {"one row: no prefetch", kOne, "mr=1 streams=4", "mr=1 streams=4 pf=32"},
    {"four rows: two tiles of four streams", kFour, "mr=2 streams=4 kb=16", "mr=4 streams=2"},
    {"16 rows: short k-blocks", kSixteen, "mr=4 streams=2 kb=16 pf=32",
     "mr=4 streams=2 kb=64 pf=32"},
    {"16 rows: prefetch", kSixteen, "mr=4 streams=2 kb=16 pf=32", "mr=4 streams=2 kb=16"},
    {"many rows: no prefetch", kMany, "mr=6 streams=2 kb=128", "mr=6 streams=2 kb=128 pf=32"},
    {"many rows: long k-blocks", kMany, "mr=6 streams=2 kb=128", "mr=6 streams=2 kb=16"},
    {"four rows of bf16: one tile", kFourBf16, "mr=4 streams=2 pf=32", "mr=1 streams=4 kb=16"},
    {"four rows of f16: one tile", kFourF16, "mr=4 streams=2 pf=32", "mr=2 streams=4 kb=16"},
    {"128 rows: two lines an iteration", kShort, "mr=6 streams=2 kb=128 unroll=2",
     "mr=6 streams=2 kb=128"},
    {"ladder: gated, not unfused", kLadder, "mr=4 streams=2 xpack=0",
     "fusion=unfused mr=4 streams=2 xpack=0"},
    {"ladder: k-blocks", kLadder, "mr=4 streams=2 kb=16 xpack=0", "mr=4 streams=2 xpack=0"},
    {"ladder: the shipped point", kLadder, "mr=4 streams=2 kb=16 pf=32",
     "mr=4 streams=2 kb=16 xpack=0"},
    {"512 bits, 8 rows: prefetch", kWideOne, "mr=8 streams=2 pf=96", "mr=8 streams=2"},
    {"512 bits, 24 rows: far prefetch", kWideFew, "mr=12 streams=2 pf=96", "mr=12 streams=2 pf=32"},
    {"512 bits, 16 rows: short tiles with k-blocks", kWideSixteen, "mr=8 streams=2 kb=64 pf=96",
     "mr=8 streams=2 pf=96"},
    {"512 bits, many rows: tall tiles", kWideMany, "mr=12 streams=2 pf=96", "mr=6 streams=4 pf=96"},
};

class MeasuredPairs : public testing::TestWithParam<Pair> {};

TEST_P(MeasuredPairs, AreOrderedAsMeasured) {
  const Pair& pair = GetParam();
  ASSERT_EQ(why_illegal(kernel_at(pair.place, pair.faster)).value_or(""), "");
  ASSERT_EQ(why_illegal(kernel_at(pair.place, pair.slower)).value_or(""), "");
  EXPECT_LT(ms_at(pair.place, pair.faster), ms_at(pair.place, pair.slower));
}

INSTANTIATE_TEST_SUITE_P(CostModel, MeasuredPairs, testing::ValuesIn(kMeasured));

/// Medians of schedules/tuned/zen3.json: the unit is milliseconds, to two fifths.
TEST(CostModel, TimesArePlausible) {
  const auto near = [](double ms, double measured) {
    EXPECT_GT(ms, measured / 1.4);
    EXPECT_LT(ms, measured * 1.4);
  };
  near(ms_at(kOne, "mr=1 streams=4"), 25.2);
  near(ms_at(kFour, "mr=2 streams=4 kb=16"), 29.1);
  near(ms_at(kSixteen, "mr=4 streams=2 kb=16 pf=32"), 54.8);
  near(ms_at(kSixteen, "mr=4 streams=2 kb=16 pf=32", 2), 33.9);
  near(ms_at(kShort, "mr=6 streams=2 kb=128 unroll=2"), 14.2);
  near(ms_at(kShort, "mr=6 streams=2 kb=128 unroll=2", 2), 8.1);
  near(ms_at(kFourBf16, "mr=4 streams=2 pf=32"), 1.52);
}

TEST(CostModel, EveryLegalPointHasAPositiveTime) {
  for (const TargetInfo& target : cpu_targets()) {
    for (const DTypeInfo& dtype : all_dtypes()) {
      for (const Shape& shape : {Shape{}, Shape{1, 1}, Shape{37, 1}, Shape{512, 1365}}) {
        const FfnSpec ffn{variant_named("geglu"), dtype.dtype, shape, true};
        KernelSpec kernel{
            ffn, target.target, {1, 16, 16}, legal_packings(ffn, target.target)[1], {}};
        for (const SchedulePoint& point : legal_points(kernel)) {
          kernel.point = point;
          const double ms = predicted_ms(kernel, cpu_profile_named("generic"), 2);
          ASSERT_TRUE(std::isfinite(ms) && ms > 0) << ms << " " << point.text();
        }
      }
    }
  }
}

TEST(CostModel, MoreThreadsAreNotSlowerWhereThereIsWork) {
  EXPECT_LT(ms_at(kMany, "mr=6 streams=2 kb=128", 2), 0.7 * ms_at(kMany, "mr=6 streams=2 kb=128"));
}

TEST(CostModel, TheBoundIsTheRoofline) {
  Roof roof;
  roof.f32_gflops = 100;
  roof.read_gbps = 20;
  const KernelSpec one = kernel_at(kOne, "mr=1 streams=4");
  EXPECT_NEAR(lower_bound_ms(one, roof), 4e-6 * 3 * 4096 * 11008 / 20, 0.1);
  EXPECT_EQ(lower_bound_ms(one, Roof{}), 0);
  EXPECT_TRUE(near_bound(1.03, 1));
  EXPECT_FALSE(near_bound(1.04, 1));
  EXPECT_FALSE(near_bound(NAN, 1));
  EXPECT_FALSE(near_bound(1, 0)) << "no roof was measured";
}

}  // namespace
}  // namespace gatefold::test
