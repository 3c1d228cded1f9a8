#include "spec/variant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "spec/error.h"

namespace gatefold {
namespace {

using ::testing::HasSubstr;

std::string usage_error(const char* variant, const VariantParameters& parameters) {
  try {
    with_parameters(variant_named(variant), parameters);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

TEST(Variants, AreThoseOfTheContract) {
  std::vector<std::string> dense, gated;
  for (const Variant& v : all_variants()) (v.gated ? gated : dense).push_back(v.name);
  EXPECT_THAT(dense, testing::UnorderedElementsAre("relu", "leaky_relu", "relu2", "gelu",
                                                   "gelu_tanh", "quick_gelu", "silu"));
  EXPECT_THAT(gated, testing::UnorderedElementsAre("glu", "bilinear", "reglu", "geglu",
                                                   "geglu_tanh", "swiglu", "swiglu_oai"));
}

TEST(Variants, MatricesAreTwoOrThree) {
  EXPECT_EQ(variant_named("relu").matrices(), 2);
  EXPECT_EQ(variant_named("swiglu").matrices(), 3);
}

TEST(Variants, DefaultParameters) {
  EXPECT_EQ(variant_named("leaky_relu").slope, 0.01f);
  EXPECT_EQ(variant_named("quick_gelu").alpha, 1.702f);
  EXPECT_EQ(variant_named("swiglu").alpha, 1.0f);
  const Variant& oai = variant_named("swiglu_oai");
  EXPECT_EQ(oai.alpha, 1.702f);
  EXPECT_EQ(oai.limit, 7.0f);
  EXPECT_EQ(oai.up_offset, 1.0f);
}

TEST(Formula, SaysWhichFunctionItIs) {
  EXPECT_EQ(variant_named("swiglu").formula(), "h = act(gate)*up, act(z) = z*sigmoid(z)");
  EXPECT_EQ(variant_named("quick_gelu").formula(), "h = act(up), act(z) = z*sigmoid(1.702*z)");
  EXPECT_EQ(variant_named("swiglu_oai").formula(),
            "h = act(min(gate, 7))*(clamp(up, -7, 7) + 1), act(z) = z*sigmoid(1.702*z)");
  EXPECT_THAT(variant_named("leaky_relu").formula(), HasSubstr("0.01*z"));
}

TEST(Formula, DiffersBetweenAllVariants) {
  std::set<std::string> formulas;
  for (const Variant& v : all_variants())
    EXPECT_TRUE(formulas.insert(v.formula()).second) << v.name;
}

TEST(Parameters, ReplaceTheDefaultsAndShowInTheFormula) {
  const float slope = -0.5f, alpha = 2.0f;
  EXPECT_THAT(with_parameters(variant_named("leaky_relu"), {.slope = &slope}).formula(),
              HasSubstr("-0.5*z"));
  const Variant v = with_parameters(variant_named("swiglu"), {.alpha = &alpha});
  EXPECT_EQ(v.alpha, 2.0f);
  EXPECT_THAT(v.formula(), HasSubstr("sigmoid(2*z)"));
}

TEST(Parameters, OneThatTheVariantHasNotIsAnError) {
  const float one = 1;
  EXPECT_THAT(usage_error("relu", {.slope = &one}),
              HasSubstr("--slope: variant 'relu' has no such"));
  EXPECT_THAT(usage_error("gelu", {.alpha = &one}), HasSubstr("--alpha"));
  EXPECT_THAT(usage_error("silu", {.limit = &one}), HasSubstr("--limit"));
  EXPECT_THAT(usage_error("silu", {.up_offset = &one}), HasSubstr("--up-offset"));
}

TEST(Parameters, MustBeFiniteAndALimitNotNegative) {
  const float nan = std::nanf(""), inf = std::numeric_limits<float>::infinity(), minus = -1;
  EXPECT_THAT(usage_error("leaky_relu", {.slope = &nan}), HasSubstr("finite"));
  EXPECT_THAT(usage_error("swiglu", {.alpha = &inf}), HasSubstr("finite"));
  EXPECT_THAT(usage_error("swiglu", {.limit = &minus}), HasSubstr("--limit: -1"));
}

}  // namespace
}  // namespace gatefold
