// NaN, infinities and huge values through compiled kernels, in vector bodies and tails alike.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/generator/test_block.h"

namespace gatefold::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kSize = 37;  // four vectors and a tail of five

/// Square block whose matrices are the identity: y = act(x) column by column (times x if gated).
Weights identity_block() {
  Weights w(kSize, kSize);
  for (int64_t i = 0; i < kSize; ++i) {
    w.gate[i * kSize + i] = w.up[i * kSize + i] = w.down[i * kSize + i] = 1;
  }
  return w;
}

FfnSpec any_shape(const char* variant) {
  return {.variant = variant_named(variant), .dtype = DType::f32, .shape = {}, .bias = false};
}

class EveryVariant : public testing::TestWithParam<Variant> {};

TEST_P(EveryVariant, NanInARowReachesAllItsOutputsAndNoOtherRow) {
  const TestBlock block({GetParam(), DType::f32, {}, false}, {1, 4});
  Weights w(kSize, kSize);
  for (float& v : w.gate) v = 0.25f;
  for (float& v : w.up) v = 0.25f;
  for (float& v : w.down) v = 0.25f;
  for (float nan : {kNan, -kNan}) {
    for (int64_t column : {int64_t{0}, int64_t{7}, int64_t{31}, kSize - 1}) {
      std::vector<float> x(3 * kSize, 0.5f);
      x[kSize + column] = nan;
      const std::vector<float> y = block.run(w, x);
      for (int64_t i = 0; i < 3 * kSize; ++i) {
        EXPECT_EQ(std::isnan(y[i]), i / kSize == 1) << "column " << column << " output " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SpecialValues, EveryVariant, testing::ValuesIn(all_variants()),
                         [](const auto& p) { return p.param.name; });

/// y of one value in every column, taken from column `i`; other columns hold zero weights for it.
void expect_limits(const FfnSpec& ffn, float x, double expected) {
  const TestBlock block(ffn, {1});
  Weights w = identity_block();
  for (int64_t column : {int64_t{3}, kSize - 2}) {
    Weights one(kSize, kSize);
    one.up[column * kSize] = one.gate[column * kSize] = 1;
    one.down[5 * kSize + column] = 1;
    std::vector<float> in(kSize, 0.0f);
    in[0] = x;
    const float y = block.run(one, in)[5];
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(y)) << ffn.variant.name << "(" << x << ")";
    } else {
      EXPECT_EQ(y, float(expected)) << ffn.variant.name << "(" << x << ") column " << column;
    }
  }
}

void expect_limits(const char* variant, float x, double expected) {
  expect_limits(any_shape(variant), x, expected);
}

TEST(SpecialValues, HugeArgumentsSaturate) {
  for (float x : {10.5f, 13.24f, 20.625f, 300.0f, 65504.0f, 3e38f}) {
    expect_limits("gelu_tanh", x, x);
    expect_limits("gelu", x, x);
  }
  expect_limits("silu", 3e38f, 3e38f);
  expect_limits("silu", -3e38f, 0);
  expect_limits("gelu", -3e38f, 0);
  expect_limits("gelu_tanh", -3e38f, 0);
  expect_limits("silu", -1662.7f, 0);
}

FfnSpec silu_with(float alpha) {
  FfnSpec ffn = any_shape("silu");
  ffn.variant.alpha = alpha;
  return ffn;
}

/// silu of single numbers, whatever their size, within the accuracy of the sigmoid.
void expect_silu(float alpha, const std::vector<float>& values) {
  const TestBlock block(silu_with(alpha), {1});
  Weights w(1, 1);
  w.up = {1};
  w.down = {1};
  for (float z : values) {
    const double expected = double(z) / (1 + std::exp(-double(alpha) * z));
    EXPECT_NEAR(block.run(w, {z})[0] / expected, 1, 1e-6) << "alpha " << alpha << " z " << z;
  }
}

TEST(SpecialValues, SiluFarOutWithAnyAlpha) {
  expect_silu(0, {-2000.0f, -1000.5f, -3.0f, 1500.0f, 1e6f});
  expect_silu(0.001f, {-2000.0f, -20000.0f, 2000.0f});
  expect_silu(-1, {-2000.0f, -1e30f, 40.0f});
}

TEST(SpecialValues, SiluUnderflowsGradually) {
  const TestBlock block(any_shape("silu"), {1});
  Weights w(1, 1);
  w.up = {1};
  w.down = {1};
  EXPECT_NEAR(block.run(w, {-90.0f})[0], -7.374611e-38, 2e-43);
}

/// An infinite bias reaches the activation without passing a matrix, whose zeros would make NaN.
void expect_at_infinity(FfnSpec ffn, float infinity, double expected) {
  ffn.bias = true;
  const TestBlock block(ffn, {1});
  Weights w(kSize, kSize);
  for (float& v : w.up_bias) v = infinity;
  for (float& v : w.gate_bias) v = infinity;
  for (int64_t i = 0; i < kSize; ++i) w.down[i * kSize] = 1;  // reads hidden unit 0 only
  if (std::isinf(expected)) w.up_bias.assign(kSize, 0.0f), w.up_bias[0] = infinity;
  const float y = block.run(w, std::vector<float>(kSize, 0.0f))[kSize - 1];
  EXPECT_EQ(y, float(expected)) << ffn.variant.name << " alpha " << ffn.variant.alpha;
}

void expect_at_infinity(const char* variant, float infinity, double expected) {
  expect_at_infinity(any_shape(variant), infinity, expected);
}

TEST(SpecialValues, ActivationsAtInfinity) {
  expect_at_infinity("silu", -kInf, 0);
  expect_at_infinity("gelu", -kInf, 0);
  expect_at_infinity("gelu_tanh", -kInf, 0);
  expect_at_infinity("quick_gelu", -kInf, 0);
  expect_at_infinity("relu", -kInf, 0);
  expect_at_infinity("silu", kInf, kInf);
  expect_at_infinity("gelu", kInf, kInf);
  for (float infinity : {-kInf, kInf}) expect_at_infinity(silu_with(0), infinity, infinity);
  expect_at_infinity(silu_with(0.001f), -kInf, 0);
  expect_at_infinity(silu_with(-1), -kInf, -kInf);
  expect_at_infinity(silu_with(-1), kInf, 0);
}

}  // namespace
}  // namespace gatefold::test
