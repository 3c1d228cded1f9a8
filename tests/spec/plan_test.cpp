#include "spec/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/error.h"
#include "spec/presets.h"

namespace gatefold {
namespace {

using ::testing::HasSubstr;

Plan plan(const char* variant, int64_t d_model, int64_t multiple_of = 1) {
  return make_plan(
      {.variant = variant_named(variant), .d_model = d_model, .multiple_of = multiple_of});
}

Plan plan_of(const char* preset_name) {
  const Preset& p = preset_named(preset_name);
  return make_plan({.variant = variant_named(p.variant), .d_model = p.d_model, .d_ff = p.d_ff});
}

std::string usage_error(const PlanRequest& request) {
  try {
    make_plan(request);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

TEST(Plan, TwoThirdsOfFourTimes512WithoutMultipleIsFloored) {
  const Plan p = plan("swiglu", 512);
  EXPECT_EQ(p.d_ff, 1365);
  EXPECT_EQ(p.matrices, 3);
  EXPECT_EQ(p.parameters, 2096640);
  EXPECT_EQ(p.flops_per_row, 2 * 2096640);
  EXPECT_EQ(p.dense_d_ff, 2048);
  EXPECT_EQ(p.dense_parameters, 2097152);
  EXPECT_NEAR(p.parameter_ratio, 0.9998, 5e-5);
  EXPECT_TRUE(p.matched);
}

TEST(Plan, MultipleRoundsUp) {
  EXPECT_EQ(plan("swiglu", 4096, 256).d_ff, 11008);
  EXPECT_EQ(plan("swiglu", 512, 256).d_ff, 1536);
  EXPECT_EQ(plan("swiglu", 512, 1365).d_ff, 1365);
  EXPECT_EQ(plan("relu", 100, 256).d_ff, 512);
}

TEST(Plan, DenseVariantHasTheDenseWidth) {
  const Plan p = plan("relu", 512);
  EXPECT_EQ(p.d_ff, 2048);
  EXPECT_EQ(p.matrices, 2);
  EXPECT_EQ(p.parameters, p.dense_parameters);
  EXPECT_EQ(p.parameter_ratio, 1.0);
  EXPECT_TRUE(p.matched);
}

TEST(Plan, GatedAtDenseWidthCostsHalfMore) {
  const Plan p = make_plan({.variant = variant_named("swiglu"), .d_model = 512, .d_ff = 2048});
  EXPECT_EQ(p.parameters, 12 * 512 * 512);
  EXPECT_DOUBLE_EQ(p.parameter_ratio, 1.5);
  EXPECT_FALSE(p.matched);
}

TEST(Plan, Llama2IsMatchedAndLlama3IsWidened) {
  EXPECT_TRUE(plan_of("llama-2-7b").matched);
  const Plan llama3 = plan_of("llama-3-8b");
  EXPECT_EQ(llama3.d_ff, 14336);
  EXPECT_NEAR(llama3.parameter_ratio, 1.31, 0.005);
  EXPECT_FALSE(llama3.matched);
}

TEST(Plan, Qwen38IsMostOfItsModel) {
  const Plan p = plan_of("qwen3.8-27b");
  EXPECT_EQ(p.parameters, 267386880);
  EXPECT_NEAR(static_cast<double>(p.parameters) * preset_named("qwen3.8-27b").layers, 17.1e9,
              0.05e9);
}

TEST(Plan, ShazeersPairHasEqualWeights) {
  EXPECT_EQ(plan_of("t5-base").parameters, plan_of("shazeer-swiglu").parameters);
  EXPECT_EQ(plan_of("shazeer-swiglu").parameter_ratio, 1.0);
}

TEST(Plan, WeightBytesFollowTheDtype) {
  PlanRequest request{.variant = variant_named("swiglu"), .d_model = 512};
  EXPECT_EQ(make_plan(request).weight_bytes, 4 * 2096640);
  request.dtype = DType::bf16;
  EXPECT_EQ(make_plan(request).weight_bytes, 2 * 2096640);
}

TEST(Plan, MatchedEndsAtTwoPercent) {
  const auto matched = [](int64_t d_ff) {
    return make_plan({.variant = variant_named("relu"), .d_model = 25, .d_ff = d_ff}).matched;
  };
  EXPECT_TRUE(matched(102));
  EXPECT_FALSE(matched(103));
  EXPECT_TRUE(matched(98));
  EXPECT_FALSE(matched(97));
}

TEST(Plan, FractionalRatioWithoutExactBinaryFormIsNotFlooredBelow) {
  EXPECT_EQ(make_plan({.variant = variant_named("relu"), .d_model = 10, .dense_ratio = 2.3}).d_ff,
            23);
}

TEST(Plan, LargestSizesDoNotOverflow) {
  const Plan p = make_plan(
      {.variant = variant_named("swiglu"), .d_model = 1 << 20, .d_ff = 1 << 20, .dense_ratio = 1});
  EXPECT_EQ(p.parameters, int64_t{3} << 40);
}

TEST(Plan, BadRequestsNameTheFlagAndTheValue) {
  const Variant v = variant_named("swiglu");
  EXPECT_THAT(usage_error({.variant = v, .d_model = 0}), HasSubstr("--d-model: 0, wanted"));
  EXPECT_THAT(usage_error({.variant = v, .d_model = 8, .d_ff = -3}),
              HasSubstr("--d-ff: -3, wanted"));
  EXPECT_THAT(usage_error({.variant = v, .d_model = 8, .multiple_of = 0}),
              HasSubstr("--multiple-of: 0, wanted"));
  EXPECT_THAT(usage_error({.variant = v, .d_model = 8, .dense_ratio = -1}),
              HasSubstr("--dense-ratio: -1, wanted"));
  EXPECT_THAT(usage_error({.variant = v, .d_model = 1 << 20}), HasSubstr("4194304"));
  EXPECT_THAT(usage_error({.variant = v, .d_model = 1, .dense_ratio = 0.1}),
              HasSubstr("d_ff of 0"));
}

}  // namespace
}  // namespace gatefold
