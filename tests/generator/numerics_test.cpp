#include "generator/numerics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "runtime/float_formats.h"
#include "schedules/ffn_stages.h"

namespace gatefold {
namespace {

using Halide::Expr;
using Function = std::function<Expr(const Expr&)>;
using Exact = double (*)(double);

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Halide::Target jit_target() {
  return Halide::Target(info(Target::x86_avx2).halide).with_feature(Halide::Target::JIT);
}

/// f of every value, compiled with the vectors of the plainest target.
std::vector<float> evaluate(const Function& f, std::vector<float> x) {
  const Halide::Buffer<float> in(x.data(), int(x.size()));
  Halide::Var i;
  Halide::Func out;
  out(i) = f(in(i));
  out.vectorize(i, 8, Halide::TailStrategy::GuardWithIf);
  std::vector<float> y(x.size());
  Halide::Buffer<float> result(y.data(), int(y.size()));
  out.realize(result, jit_target());
  return y;
}

/// Every 4099th float of [low, high], both signs of zero and the ends included.
std::vector<float> samples(float low, float high) {
  std::vector<float> x = {low, high, 0.0f, -0.0f};
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {
    const uint32_t word = uint32_t(bits);
    float value;
    std::memcpy(&value, &word, sizeof value);
    if (value >= low && value <= high) x.push_back(value);
  }
  return x;
}

/// Distance in units in the last place of the exact value; denormals count in 2^-149.
double ulps(float got, double exact) {
  if (got == exact) return 0;
  int exponent;
  std::frexp(exact, &exponent);
  const double ulp = std::ldexp(1.0, std::max(exponent, -125) - 24);
  return std::abs(double(got) - exact) / ulp;
}

void expect_within(const Function& f, Exact exact, float low, float high, double bound) {
  const std::vector<float> x = samples(low, high), y = evaluate(f, x);
  double worst = 0;
  float where = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(y[i], exact(double(x[i])));
    if (!(error <= worst)) worst = error, where = x[i];
  }
  EXPECT_LE(worst, bound) << "at x = " << where;
  testing::Test::RecordProperty("worst_ulps", std::to_string(worst));
}

double exact_sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double exact_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

Expr exponential(const Expr& x) { return exp_f32(x); }

TEST(Numerics, ExpIsWithin2Ulps) { expect_within(exponential, std::exp, -103.9f, 88.7f, 2); }
TEST(Numerics, SigmoidIsWithin3Ulps) {
  expect_within(sigmoid_f32, exact_sigmoid, -103.9f, 1e30f, 3);
}
TEST(Numerics, NormalCdfIsWithin6Ulps) {
  expect_within(normal_cdf_f32, exact_cdf, -14.1f, 1e30f, 6);
}
TEST(Numerics, ErfIsWithin4Ulps) { expect_within(erf_f32, std::erf, -1e30f, 1e30f, 4); }
TEST(Numerics, TanhIsWithin4Ulps) { expect_within(tanh_f32, std::tanh, -1e30f, 1e30f, 4); }

TEST(Numerics, NanStaysNanOfEitherSign) {
  for (const Function& f : {Function(exponential), Function(sigmoid_f32), Function(normal_cdf_f32),
                            Function(erf_f32), Function(tanh_f32)}) {
    for (float y : evaluate(f, std::vector<float>(13, kNan))) EXPECT_TRUE(std::isnan(y));
    for (float y : evaluate(f, std::vector<float>(13, -kNan))) EXPECT_TRUE(std::isnan(y));
  }
}

TEST(Numerics, LimitsAtInfinity) {
  const std::vector<float> x = {-kInf, kInf};
  EXPECT_EQ(evaluate(sigmoid_f32, x), (std::vector<float>{0, 1}));
  EXPECT_EQ(evaluate(normal_cdf_f32, x), (std::vector<float>{0, 1}));
  EXPECT_EQ(evaluate(erf_f32, x), (std::vector<float>{-1, 1}));
  EXPECT_EQ(evaluate(tanh_f32, x), (std::vector<float>{-1, 1}));
  EXPECT_EQ(evaluate(exponential, {-kInf})[0], 0);
}

TEST(Numerics, OddFunctionsKeepTheSignOfZero) {
  EXPECT_TRUE(std::signbit(evaluate(erf_f32, {-0.0f})[0]));
  EXPECT_TRUE(std::signbit(evaluate(tanh_f32, {-0.0f})[0]));
}

/// The bf16 bits of x by Halide, and back.
uint16_t to_bf16(float x) {
  const float y = evaluate([](const Expr& v) { return Halide::cast<float>(bf16_bits(v)); }, {x})[0];
  return uint16_t(y);
}

TEST(Numerics, Bf16RoundsToNearestEvenAndKeepsNan) {
  EXPECT_EQ(to_bf16(0.26914088f), 0x3e8a);        // 0.26953125; truncation would give 0x3e89
  EXPECT_EQ(to_bf16(1.0f + 1.0f / 256), 0x3f80);  // tie to even, down
  EXPECT_EQ(to_bf16(1.0f + 3.0f / 256), 0x3f82);  // tie to even, up
  EXPECT_EQ(to_bf16(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(to_bf16(std::ldexp(1.0f, -127)), 0x0040);  // subnormals are kept
  for (uint32_t bits : {0x7f800001u, 0x7fffffffu, 0xff800001u}) {
    float nan;
    std::memcpy(&nan, &bits, sizeof nan);
    const uint16_t half = to_bf16(nan);
    EXPECT_TRUE((half & 0x7f80) == 0x7f80 && (half & 0x007f) != 0) << std::hex << bits;
  }
}

/// f of every 16-bit pattern.
std::vector<float> of_all_patterns(const Function& f) {
  std::vector<float> x(1 << 16);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i);
  return evaluate(f, x);
}

TEST(Numerics, F16IsWidenedInIntegerStepsAsItIs) {
  const auto y =
      of_all_patterns([](const Expr& x) { return f32_from_f16_bits(Halide::cast<uint16_t>(x)); });
  for (size_t i = 0; i < y.size(); ++i) {
    const float wanted = f32_from_f16(uint16_t(i));
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(y[i])) << i;
    } else {
      EXPECT_EQ(y[i], wanted) << i;
      EXPECT_EQ(std::signbit(y[i]), std::signbit(wanted)) << i;
    }
  }
}

TEST(Numerics, F16IsRoundedInIntegerStepsAsItShould) {
  std::vector<float> x = samples(-1e6f, 1e6f);
  for (float edge : {65504.0f, 65519.996f, 65520.0f, 0x1p-14f, 0x1.ffcp-15f, 0x1.ffep-15f, 0x1p-24f,
                     0x1p-25f, 0x1.8p-24f, 0x1.000002p-25f, kInf, 1.0f + 0x1p-11f, 1.0f + 0x3p-11f})
    x.insert(x.end(), {edge, -edge});
  const auto bits = evaluate([](const Expr& v) { return Halide::cast<float>(f16_bits(v)); }, x);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(bits[i], float(f16_from_f32(x[i]))) << x[i];
  for (float nan : {kNan, -kNan}) {
    const auto y = evaluate([](const Expr& v) { return f32_from_f16_bits(f16_bits(v)); }, {nan});
    EXPECT_TRUE(std::isnan(y[0]));
  }
}

}  // namespace
}  // namespace gatefold
