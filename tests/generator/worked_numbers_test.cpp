// Numbers that can be worked out by hand, through compiled kernels.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/generator/test_block.h"

namespace gatefold::test {
namespace {

struct Worked {
  float gate, up;
  double h;
};

/// The hidden value of each case: d_model 1 with x = 1, one hidden unit per call.
void expect_hidden(const Variant& variant, const std::vector<Worked>& cases) {
  FfnSpec ffn{.variant = variant, .dtype = DType::f32, .shape = {}, .bias = false};
  const TestBlock block(ffn, {1});
  for (const Worked& c : cases) {
    Weights w(1, 1);
    w.gate = {c.gate};
    w.up = {c.up};
    w.down = {1};
    const float y = block.run(w, {1})[0];
    EXPECT_NEAR(y, c.h, 1e-5 * std::abs(c.h))
        << variant.name << " gate " << c.gate << " up " << c.up;
  }
}

void expect_hidden(const char* name, const std::vector<Worked>& cases) {
  expect_hidden(variant_named(name), cases);
}

TEST(WorkedNumbers, Swiglu) {
  expect_hidden("swiglu", {{3, 2, 5.715445},
                           {-3, 2, -0.284555},
                           {3, 8, 22.861778},
                           {-3, 8, -1.138221},
                           {2, 3, 5.284782}});
}
TEST(WorkedNumbers, Silu) { expect_hidden("silu", {{0, 3, 2.857722}, {0, -3, -0.142278}}); }
TEST(WorkedNumbers, Glu) {
  expect_hidden("glu", {{2, 1, 0.880797}, {3, 1, 0.9525741}, {-3, 1, 0.04742587}});
}
TEST(WorkedNumbers, Relu) { expect_hidden("relu", {{0, 8, 8}, {0, -8, 0}}); }
TEST(WorkedNumbers, Reglu) { expect_hidden("reglu", {{2, 8, 16}, {-2, 8, 0}}); }
TEST(WorkedNumbers, Relu2) { expect_hidden("relu2", {{0, 3, 9}, {0, -3, 0}}); }
TEST(WorkedNumbers, Bilinear) { expect_hidden("bilinear", {{-2, 3, -6}}); }
TEST(WorkedNumbers, LeakyRelu) {
  expect_hidden("leaky_relu", {{0, -3, -0.03}, {0, 3, 3}});
  Variant steep = variant_named("leaky_relu");
  steep.slope = 2;  // a slope above one must not turn it into a maximum
  expect_hidden(steep, {{0, -3, -6}, {0, 3, 3}});
  steep.slope = -0.5f;
  expect_hidden(steep, {{0, -3, 1.5}, {0, 3, 3}});
}
TEST(WorkedNumbers, GeluExactAndTanhAreTwoFunctions) {
  expect_hidden("gelu", {{0, -2.7f, -9.360829e-3},
                         {0, 0.25f, 0.1496766},
                         {0, 2.5f, 2.4844758},
                         {0, -3.5f, -8.142018e-4},
                         {0, -6, -5.919526e-9}});
  expect_hidden("gelu_tanh", {{0, -2.7f, -8.887595e-3}, {0, -6, -8.439647e-11}});
}
TEST(WorkedNumbers, Geglu) {
  expect_hidden("geglu", {{0.25f, 1, 0.1496766}, {2.5f, 2, 4.9689516}});
  expect_hidden("geglu_tanh", {{-2.7f, 1, -8.887595e-3}});
}
TEST(WorkedNumbers, QuickGelu) {
  expect_hidden("quick_gelu", {{0, 1, 0.845796}, {0, -1, -0.154204}, {0, 0.25f, 0.151200}});
}
TEST(WorkedNumbers, SwigluOai) {
  expect_hidden("swiglu_oai", {{10, -10, -41.999719},
                               {-10, 1, -8.115923e-7},
                               {1, 0, 0.845796},
                               {2, 3, 7.742634},
                               {100, 100, 55.999625}});
}
TEST(WorkedNumbers, ClampedSwigluUsesItsClamp) {
  Variant clamped = variant_named("swiglu");
  clamped.limit = 7;
  expect_hidden(clamped, {{100, 100, 48.95535}});
}

}  // namespace
}  // namespace gatefold::test
