#include "generator/mlir/expression.h"

#include <Halide.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "generator/activations.h"
#include "generator/numerics.h"
#include "runtime/reference/activation.h"
#include "spec/error.h"
#include "tests/mlir/scalar_machine.h"

namespace gatefold::test {
namespace {

using Halide::Expr;

/// Values at which an activation does something of its own, and a grid between them.
std::vector<float> arguments() {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> z = {0.0f,     -0.0f, inf,    -inf,  std::nanf(""), 1e-40f,  -1e-40f, 3.4e38f,
                          -3.4e38f, 1e10f, -1e10f, 88.8f, -103.9f,       -104.1f, 7.0f,    -7.0f};
  for (int i = -400; i <= 400; ++i) z.push_back(float(i) * 0.0431f);
  return z;
}

float up_of(size_t i) { return float(int(i % 23) - 11) * 0.77f; }

Expr hidden_expression(const Variant& v, const Expr& gate, const Expr& up) {
  return v.gated ? gated_hidden(v, gate, up) : dense_hidden(v, gate);
}

/// The same expression compiled by Halide for this CPU.
std::vector<float> by_halide(const Variant& variant, std::vector<float> gate,
                             std::vector<float> up) {
  const Halide::Buffer<float> g(gate.data(), int(gate.size())), u(up.data(), int(up.size()));
  Halide::Var i;
  Halide::Func f;
  f(i) = hidden_expression(variant, g(i), u(i));
  const Halide::Buffer<float> out = f.realize({int(gate.size())});
  return {out.begin(), out.end()};
}

class ActivationTranslated : public testing::TestWithParam<Variant> {};

TEST_P(ActivationTranslated, GivesTheBitsOfHalide) {
  const Variant& v = GetParam();
  const ScalarProgram program = hidden_program(v);
  const std::vector<float> gate = arguments();
  std::vector<float> up;
  for (size_t i = 0; i < gate.size(); ++i) up.push_back(up_of(i));
  const std::vector<float> wanted = by_halide(v, gate, up);
  for (size_t i = 0; i < gate.size(); ++i) {
    const float got =
        evaluate(program, v.gated ? std::vector{gate[i], up[i]} : std::vector{gate[i]});
    if (std::isnan(wanted[i])) {
      EXPECT_TRUE(std::isnan(got)) << gate[i];
    } else {
      EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(wanted[i]))
          << gate[i] << " " << up[i] << ": " << got << " " << wanted[i];
    }
  }
}

TEST_P(ActivationTranslated, IsNearTheFormula) {
  const Variant& v = GetParam();
  const ScalarProgram program = hidden_program(v);
  const std::vector<float> gate = arguments();
  for (size_t i = 0; i < gate.size(); ++i) {
    const float up = v.gated ? up_of(i) : gate[i];
    const double wanted = reference_hidden(v, gate[i], up);
    const float got = evaluate(program, v.gated ? std::vector{gate[i], up} : std::vector{up});
    if (std::isnan(wanted) || std::isinf(float(wanted))) {
      EXPECT_EQ(std::isnan(got), std::isnan(wanted)) << gate[i];
      EXPECT_EQ(std::isinf(got), !std::isnan(wanted)) << gate[i];
    } else {
      EXPECT_NEAR(got, wanted, 4e-6 * std::fabs(wanted) + 1e-6) << gate[i] << " " << up;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, ActivationTranslated, testing::ValuesIn(all_variants()),
                         [](const auto& info) { return info.param.name; });

TEST(Expression, ParametersOfAVariantAreInIt) {
  Variant v = variant_named("swiglu_oai");
  const ScalarProgram before = hidden_program(v);
  const float limit = 2, alpha = 0.5f, offset = 3;
  v = with_parameters(v, {.alpha = &alpha, .limit = &limit, .up_offset = &offset});
  const ScalarProgram after = hidden_program(v);
  EXPECT_NE(evaluate(before, {5, 6}), evaluate(after, {5, 6}));
  EXPECT_NEAR(evaluate(after, {5, 6}), reference_hidden(v, 5, 6), 1e-5);
}

float translated(const Expr& e, float x) { return evaluate(translate(e, {"x"}), {x}); }

const Expr x = Halide::Internal::Variable::make(Halide::Float(32), "x");

TEST(Expression, FunctionsOfNumerics) {
  for (const float z : {-3.3f, -0.4f, 0.0f, 0.7f, 5.1f}) {
    EXPECT_NEAR(translated(erf_f32(x), z), std::erf(z), 1e-6);
    EXPECT_NEAR(translated(tanh_f32(x), z), std::tanh(z), 1e-6);
    EXPECT_NEAR(translated(exp_f32(x), z), std::exp(z), 1e-6 * std::exp(z));
    // 16 bits of a bf16 and back: nearest even.
    EXPECT_NEAR(translated(f32_from_bf16_bits(bf16_bits(x)), z), z, std::fabs(z) / 256);
  }
}

TEST(Expression, FunctionsOfHalide) {
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(translated(floor(x), -1.5f), -2);
  EXPECT_EQ(translated(ceil(x), -1.5f), -1);
  EXPECT_EQ(translated(sqrt(x), 9), 3);
  EXPECT_EQ(translated(abs(x), -2), 2);
  EXPECT_EQ(translated(min(x, 3.0f) + max(x, 5.0f), 4), 8);
  EXPECT_EQ(translated(select(is_nan(x), 1.0f, 2.0f), std::nanf("")), 1);
  EXPECT_EQ(translated(select(is_inf(x), 1.0f, 2.0f), -inf), 1);
  EXPECT_EQ(translated(select(is_finite(x), 1.0f, 2.0f), inf), 2);
  EXPECT_EQ(translated(select(x > 1.0f && !(x >= 3.0f || x == 2.0f), 1.0f, 0.0f), 2.5f), 1);
  EXPECT_EQ(translated(Halide::cast<float>(Halide::cast<int>(x) >> 1), -5), -3);
  const Expr bits = Halide::reinterpret<uint32_t>(x);
  EXPECT_EQ(translated(Halide::reinterpret<float>(~(~bits ^ Expr(0x80000000u))), 2), -2);
}

TEST(Expression, ALetBindsItsNameInItsBodyAlone) {
  using namespace Halide::Internal;
  const Expr y = Variable::make(Halide::Float(32), "y");
  const Expr inner = Let::make("y", x * 3.0f, y + 1.0f);
  EXPECT_EQ(translated(Let::make("y", x + 1.0f, inner * y), 2), 21);
  EXPECT_THROW(translate(inner * y, {"x"}), Error);
}

void expect_refused(const Expr& e, const std::string& why) {
  try {
    translate(e, {"x"});
    ADD_FAILURE() << e << " was translated";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

TEST(Expression, NamesWhatItHasNoInstructionFor) {
  expect_refused(sin(x), "'sin_f32' has no instruction");
  expect_refused(Halide::pow(x, x), "'pow_f32' has no instruction");
  expect_refused(Halide::cast<float>(Halide::cast<int>(x) / 3), "division of integers");
  expect_refused(Halide::cast<float>(Halide::cast<int>(x) % 3), "node Mod has no instruction");
  expect_refused(Halide::cast<float>(Halide::cast<double>(x)), "wanted f32, bool or an integer");
  expect_refused(Halide::cast<float>(Halide::cast<uint32_t>(x)), "a float becomes an int32 only");
  const Expr n = Halide::cast<int>(x);
  expect_refused(Halide::cast<float>(n << n), "not by a constant in range");
  expect_refused(Halide::Internal::Variable::make(Halide::Float(32), "z"), "no such variable");
  expect_refused(Halide::Internal::Broadcast::make(x, 4), "wanted f32, bool or an integer");
}

}  // namespace
}  // namespace gatefold::test
