#include "tuning/roofline.h"

#include <gtest/gtest.h>

#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "tests/tuning/fake_candidate.h"
#include "tuning/roof.h"

namespace gatefold {
namespace {

FfnSpec llama(DType dtype) {
  FfnSpec ffn;
  ffn.variant = variant_named("swiglu");
  ffn.dtype = dtype;
  ffn.shape = {4096, 11008};
  return ffn;
}

Roof roof(Target target) {
  Roof r;
  r.f32_gflops = 100;
  r.bf16_gflops = 200;
  r.read_gbps = 20;
  r.target = target;
  return r;
}

TEST(Roofline, FewRowsAreBoundByMemory) {
  const Roofline bound = roofline(llama(DType::f32), 1, roof(Target::x86_avx2));
  const double bytes = 3.0 * 4096 * 11008 * 4 + 2 * 4096 * 4;
  EXPECT_STREQ(bound.bound, "memory");
  EXPECT_NEAR(bound.ms, bytes / 20e9 * 1e3, 1e-9);
}

TEST(Roofline, ManyRowsAreBoundByCompute) {
  const Roofline bound = roofline(llama(DType::f32), 128, roof(Target::x86_avx2));
  EXPECT_STREQ(bound.bound, "compute");
  EXPECT_NEAR(bound.ms, 2 * 3.0 * 4096 * 11008 * 128 / 100e9 * 1e3, 1e-9);
}

TEST(Roofline, Bf16UsesTheInstructionThatTheTargetHas) {
  const double widened = roofline(llama(DType::bf16), 1024, roof(Target::x86_avx512)).ms;
  const double dotted = roofline(llama(DType::bf16), 1024, roof(Target::x86_avx512_bf16)).ms;
  EXPECT_NEAR(widened / dotted, 2, 1e-9);
}

TEST(Roofline, AResidualIsReadToo) {
  FfnSpec ffn = llama(DType::bf16);
  const Roof r = roof(Target::x86_avx512_bf16);
  const double without = roofline_ms(ffn, 2, r);
  ffn.residual = true;
  EXPECT_NEAR(roofline_ms(ffn, 2, r) - without, 2 * 4096 * 2 / r.read_gbps / 1e6, 1e-9);
}

TEST(Roofline, PackedBytesCountPadding) {
  FfnSpec small = llama(DType::f32);
  small.shape = {10, 9};
  const Packing packing{.panel = 8, .pair = 1, .k_step = 2, .k_lines = 1, .group = 2};
  // gate and up: 9 columns in 2 panels, 10 k; down: 10 columns in 2 panels, 9 k padded to 10.
  EXPECT_EQ(packed_weight_bytes(small, packing), 3 * 16 * 10 * 4);
  const Roof r = roof(Target::x86_avx2);
  EXPECT_GT(roofline(small, 1, r, packed_weight_bytes(small, packing)).ms,
            roofline_ms(small, 1, r));
}

TEST(Efficiency, NoneWithoutTimeRoofOrAboveTheRoof) {
  EXPECT_NEAR(*efficiency({9, "memory"}, 10), 0.9, 1e-12);
  EXPECT_TRUE(efficiency({10.4, "memory"}, 10));
  EXPECT_FALSE(efficiency({10.6, "memory"}, 10));
  EXPECT_FALSE(efficiency({0, "memory"}, 10));
  EXPECT_FALSE(efficiency({9, "memory"}, 0));
  EXPECT_FALSE(efficiency({9, "memory"}, kUnknown));
}

TEST(Roof, BetterOfTakesEachFigureByItself) {
  Roof a = roof(Target::x86_avx2), b = a;
  a.read_pattern = "1 stream";
  b.f32_gflops = 90;
  b.read_gbps = 25;
  b.read_pattern = "4 streams";
  const Roof both = better_of(a, b);
  EXPECT_EQ(both.f32_gflops, 100);
  EXPECT_EQ(both.read_gbps, 25);
  EXPECT_EQ(both.read_pattern, "4 streams");
}

TEST(MeasureRoof, GivesFiguresThatCanBe) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  const Roof r = measure_roof(Target::x86_avx2, 1);
  for (double figure : {r.f32_gflops, r.bf16_gflops, r.i8_gops, r.read_gbps})
    EXPECT_GT(figure, 0.1);
  EXPECT_LT(r.f32_gflops, 1000);
  EXPECT_LT(r.read_gbps, 1000);
  EXPECT_EQ(r.bf16_gflops, r.f32_gflops) << "AVX2 widens bf16 to f32";
  EXPECT_FALSE(r.read_pattern.empty());
}

TEST(RoofMeter, UsualIsOfTheSamplesSinceThenAndNeverAboveTheBest) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  RoofMeter meter(Target::x86_avx2, 1);
  EXPECT_EQ(meter.usual().f32_gflops, 0) << "nothing sampled yet";
  for (int i = 0; i < 5; ++i) meter.sample();
  EXPECT_EQ(meter.samples(), 5);
  const Roof usual = meter.usual(), best = meter.best(), last = meter.usual(4);
  EXPECT_GT(usual.read_gbps, 0.1);
  EXPECT_LE(usual.f32_gflops, best.f32_gflops);
  EXPECT_LE(usual.read_gbps, best.read_gbps);
  EXPECT_LE(last.f32_gflops, best.f32_gflops);
  EXPECT_EQ(last.f32_gflops, meter.best(4).f32_gflops) << "one sample is all there is";
}

TEST(MeasureRoof, RefusesATargetThatCannotRun) {
  if (gf_isa_usable("x86-avx512-bf16")) GTEST_SKIP() << "this CPU runs all targets";
  try {
    measure_roof(Target::x86_avx512_bf16, 1);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::unavailable);
  }
}

}  // namespace
}  // namespace gatefold
