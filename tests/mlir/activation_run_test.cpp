#include <Halide.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "generator/mlir/expression.h"
#include "generator/mlir/tensor_core.h"
#include "generator/numerics.h"
#include "tests/mlir/scalar_machine.h"
#include "tests/ptx/interpreter.h"

namespace gatefold::test {
namespace {

std::vector<float> values(float scale) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> v = {0.0f, -0.0f, inf, -inf, std::nanf(""), 1e-40f, -1e-40f, 3e38f, -3e38f};
  for (int i = -150; i <= 150; ++i) v.push_back(float(i) * scale);
  return v;
}

/// What the kernel of the program gives in the interpreter.
std::vector<float> run(const ScalarProgram& program, const std::vector<std::vector<float>>& in) {
  const auto module = ptx::parse(elementwise_ptx(program, int(in.size()), 80, "act"));
  const size_t count = in[0].size();
  ptx::Memory memory;
  ptx::Launch launch;
  for (const auto& argument : in) launch.parameter(memory.upload(argument, "in"));
  const uint64_t out = memory.allocate(count * 4, "out");
  launch.parameter(out).parameter(int32_t(count));
  launch.block = {128, 1, 1};
  launch.grid = {uint32_t(count + 127) / 128, 1, 1};
  ptx::run(module, "act", launch, memory);
  return memory.download<float>(out, count);
}

/// What MLIR and LLVM make of the program computes the program: same bits, so nothing was fused,
/// reordered or approximated.
void expect_same_bits(const ScalarProgram& program, const std::vector<std::vector<float>>& in) {
  const std::vector<float> got = run(program, in);
  for (size_t i = 0; i < got.size(); ++i) {
    std::vector<float> arguments;
    for (const auto& argument : in) arguments.push_back(argument[i]);
    const float wanted = evaluate(program, arguments);
    if (std::isnan(wanted)) {
      EXPECT_TRUE(std::isnan(got[i])) << testing::PrintToString(arguments);
    } else {
      EXPECT_EQ(std::bit_cast<uint32_t>(got[i]), std::bit_cast<uint32_t>(wanted))
          << testing::PrintToString(arguments) << ": " << got[i] << ", wanted " << wanted;
    }
  }
}

class ActivationKernel : public testing::TestWithParam<Variant> {};

TEST_P(ActivationKernel, HasTheBitsOfItsProgram) {
  const std::vector<float> first = values(0.113f), second = values(-0.0731f);
  std::vector<std::vector<float>> in = {first};
  if (GetParam().gated) in.push_back(second);
  expect_same_bits(hidden_program(GetParam()), in);
}

INSTANTIATE_TEST_SUITE_P(Variants, ActivationKernel, testing::ValuesIn(all_variants()),
                         [](const auto& info) { return info.param.name; });

/// The instructions that no activation has.
TEST(ExpressionKernel, HasTheBitsOfItsProgram) {
  using namespace Halide;
  const Expr x = Internal::Variable::make(Float(32), "x");
  const Expr bits = reinterpret<uint32_t>(x), whole = cast<int>(x);
  const std::vector<Expr> expressions = {
      floor(x) + ceil(x * 0.3f),
      sqrt(abs(x)),
      erf_f32(x),
      tanh_f32(x),
      exp_f32(min(x, 88.0f)),
      f32_from_bf16_bits(bf16_bits(x)),
      select(is_nan(x) || is_inf(x), 1.0f, max(x, 2.0f)),
      cast<float>(bits >> 7),
      cast<float>(whole * 3 - (whole >> 2)),
      cast<float>(whole),
      cast<float>(cast<int8_t>(whole)) + cast<float>(cast<uint16_t>(whole)),
      select((bits & Expr(255u)) <= Expr(99u) && x != 1.0f, x, -x),
      cast<float>(cast<int64_t>(whole) << 9)};
  for (const Expr& e : expressions) {
    SCOPED_TRACE(testing::Message() << e);
    expect_same_bits(translate(e, {"x"}), {values(0.613f)});
  }
}

}  // namespace
}  // namespace gatefold::test
