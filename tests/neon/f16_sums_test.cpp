// Kernels that sum in f16: what is legal, and that they multiply eight lanes at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tests/generator/assembly.h"
#include "tests/generator/hot_loop_cases.h"
#include "tuning/cost_tile.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

constexpr Target kTarget = Target::arm64_neon_dotprod;

KernelSpec kernel_of(const Shape& shape, const RowBucket& rows = kMany) {
  FfnSpec ffn{.variant = variant_named("swiglu"), .shape = shape};
  set_dtypes(ffn, "f16_acc16");
  return default_kernel(ffn, kTarget, rows);
}

std::string refused(const KernelSpec& kernel) { return why_illegal(kernel).value_or("legal"); }

TEST(NeonF16Sums, HaveDefaultPointsThatEndThem) {
  for (const Shape& shape : {Shape{4096, 11008}, {37, 1}, {896, 4864}, {4099, 37}, {}}) {
    for (const RowBucket& rows : {kOne, kFew, kMany, kOpen}) {
      for (const Packing& packing : legal_packings(kernel_of(shape).ffn, kTarget)) {
        KernelSpec k = kernel_of(shape, rows);
        k.packing = packing;
        k.point = default_point(k, cpu_profile_named("generic"));
        EXPECT_EQ(refused(k), "legal") << describe(k);
        if (shape.d_model == 4096) {
          EXPECT_EQ(k.point.kb * packing.k_step <= kMostProductsInF16, k.point.kb > 0);
        }
      }
    }
  }
}

TEST(NeonF16Sums, ThatGoOnForTooLongAreIllegal) {
  KernelSpec k = kernel_of({4096, 8192});
  k.point.pf = 0;
  k.point.kb = 0;
  EXPECT_THAT(refused(k), HasSubstr("kb=0, wanted blocks of at most 64 lines"));
  k.point.kb = 128;
  EXPECT_THAT(refused(k), HasSubstr("kb=128, wanted blocks of at most 64 lines"));
  k.point.kb = 64;
  EXPECT_EQ(refused(k), "legal");
  k = kernel_of({256, 256});
  k.point.kb = 0;
  EXPECT_EQ(refused(k), "legal") << "the whole sums are that short";
  k = kernel_of({});
  k.point.kb = 0;
  EXPECT_THAT(refused(k), HasSubstr("blocks of at most"));
}

TEST(NeonF16Sums, OfASliceEndWithIt) {
  KernelSpec k = kernel_of({4096, 11008}, kFew);
  k.point.fusion = Fusion::streamed;
  k.point.mb = 4;
  k.point.kb = 16;
  k.point.slices = 16;
  EXPECT_THAT(refused(k), HasSubstr("slices=16, wanted slices of at most 64 lines"));
  k.point.slices = 43;
  EXPECT_EQ(refused(k), "legal");
}

TEST(NeonF16Sums, NeedATargetWithF16Arithmetic) {
  KernelSpec k = kernel_of({512, 1365});
  k.target = Target::arm64_neon;
  EXPECT_THAT(refused(k), HasSubstr("accumulate=f16, wanted f32 on arm64-neon"));
}

/// Loops of eight lanes, without a widening among them.
TEST(NeonF16Sums, MultiplyEightLanesAtOnce) {
  for (const RowBucket& rows : {kOne, kFew, kMany}) {
    const KernelSpec kernel = kernel_of({4096, 11008}, rows);
    const std::vector<Loop> loops = hot_loops(assembly_of(kernel), Arch::arm64);
    expect_loops_in_registers(kernel, loops);
    for (const Loop& loop : loops) {
      EXPECT_THAT(loop.text(), testing::ContainsRegex("fmla.*\\.8h"));
      EXPECT_THAT(loop.text(), testing::Not(HasSubstr("fcvtl")));
      EXPECT_THAT(loop.text(), testing::Not(testing::ContainsRegex("fmla.*\\.4s")));
    }
  }
}

/// A register holds eight weights, and of x eight rows of a tile or eight words of a row.
TEST(NeonF16Sums, HaveTheModelCountLoadsOfEight) {
  const auto loads = [](const char* point) {
    KernelSpec kernel = kernel_of({256, 256});
    kernel.point = parse_point(std::string("fusion=gated streams=2 kb=0 pf=0 ") + point);
    EXPECT_EQ(refused(kernel), "legal") << describe(kernel);
    const double steps = kernel.packing.k_step * kernel.packing.pair;
    const double weights = 2 * kernel.packing.panel * steps / 8;
    const TileWork work = tile_work(kernel, kernel.point.xpack == 0);
    return (work.loads - weights) / (kernel.point.mr * steps);  // of one value of x
  };
  EXPECT_DOUBLE_EQ(loads("mr=8 xpack=1"), 1.0 / 8);
  EXPECT_DOUBLE_EQ(loads("mr=4 xpack=1"), 1.0 / 4);
  EXPECT_DOUBLE_EQ(loads("mr=6 unroll=2 xpack=0"), 1.0 / 8);
}

}  // namespace
}  // namespace gatefold::test
