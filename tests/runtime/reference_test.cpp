#include "runtime/reference/reference.h"

#include <gtest/gtest.h>

#include <utility>

#include <cmath>
#include <limits>
#include <random>

#include "runtime/reference/activation.h"
#include "runtime/reference/compare.h"

namespace gatefold {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double act(const char* name, double z) { return reference_activation(variant_named(name), z); }
double hidden(const char* name, double gate, double up) {
  return reference_hidden(variant_named(name), gate, up);
}

TEST(ReferenceActivation, WorkedNumbers) {
  EXPECT_NEAR(act("glu", 3), 0.952574, 1e-6);
  EXPECT_NEAR(act("glu", -3), 0.047426, 1e-6);
  EXPECT_NEAR(act("silu", 3), 2.857722, 1e-6);
  EXPECT_NEAR(act("silu", -3), -0.142278, 1e-6);
  EXPECT_NEAR(act("silu", -1.278465), -0.278465, 1e-6);
  EXPECT_NEAR(act("gelu", -0.751792), -0.169971, 1e-6);
  EXPECT_NEAR(act("gelu", -2.7), -9.360829e-3, 1e-9);
  EXPECT_NEAR(act("gelu_tanh", -2.7), -8.887595e-3, 1e-9);
  EXPECT_NEAR(act("gelu", -6), -5.919526e-9, 1e-15);
  EXPECT_NEAR(act("gelu_tanh", -6), -8.439647e-11, 1e-17);
  EXPECT_NEAR(act("quick_gelu", 1), 0.845796, 1e-6);
  EXPECT_NEAR(act("quick_gelu", -1), -0.154204, 1e-6);
  EXPECT_NEAR(act("silu", -90), -7.374611e-38, 1e-43);
  EXPECT_EQ(act("relu2", 3), 9);
  EXPECT_EQ(act("relu", -3), 0);
  EXPECT_NEAR(act("leaky_relu", -3), -0.03, 1e-8);
}

TEST(ReferenceHidden, WorkedNumbers) {
  EXPECT_NEAR(hidden("swiglu", 3, 2), 5.715445, 1e-6);
  EXPECT_NEAR(hidden("swiglu", -3, 2), -0.284555, 1e-6);
  EXPECT_NEAR(hidden("swiglu", 3, 8), 22.861778, 2e-6);
  EXPECT_NEAR(hidden("glu", 2, 1), 0.880797, 1e-6);
  EXPECT_NEAR(hidden("swiglu_oai", 10, -10), -41.999719, 1e-6);
  EXPECT_NEAR(hidden("swiglu_oai", -10, 1), -8.115923e-7, 1e-12);
  EXPECT_NEAR(hidden("swiglu_oai", 1, 0), 0.845796, 1e-6);
  EXPECT_NEAR(hidden("swiglu_oai", 2, 3), 7.742634, 1e-6);
  EXPECT_NEAR(hidden("swiglu_oai", 100, 100), 55.999625, 1e-6);
  EXPECT_EQ(hidden("bilinear", 3, 4), 12);
}

TEST(ReferenceFfn, AddsTheResidualToValueAndScale) {
  const float one[] = {1, 1, 1, 1}, minus[] = {-1, 0, 0, -1}, x[] = {2, 3};
  const float residual[] = {0.5f, -0.25f};
  ReferenceBlock block;
  block.variant = variant_named("relu");
  block.d_model = block.d_ff = 2;
  block.up = one;
  block.down = minus;
  const ReferenceResult r = reference_ffn(block, x, 1, {}, residual);
  EXPECT_EQ(r.y, (std::vector<double>{-4.5, -5.25}));
  EXPECT_EQ(r.scale, (std::vector<double>{5.5, 5.25}));
  EXPECT_EQ(reference_ffn(block, x, 1, {{}, {1}}, residual).y, std::vector<double>{-5.25});
  EXPECT_EQ(reference_ffn(block, x, 1).y, (std::vector<double>{-5, -5}));
}

TEST(ReferenceActivation, LimitsAtInfinityAndNan) {
  for (const char* name : {"silu", "gelu", "gelu_tanh", "quick_gelu"}) {
    EXPECT_EQ(act(name, -kInf), 0) << name;
    EXPECT_EQ(act(name, kInf), kInf) << name;
    EXPECT_EQ(act(name, 3e38), 3e38) << name;
    EXPECT_EQ(act(name, -3e38), 0) << name;
  }
  for (const Variant& v : all_variants()) {
    EXPECT_TRUE(std::isnan(reference_hidden(v, NAN, NAN))) << v.name;
    if (!v.gated) continue;
    EXPECT_TRUE(std::isnan(reference_hidden(v, NAN, 1))) << v.name;
    EXPECT_TRUE(std::isnan(reference_hidden(v, 1, NAN))) << v.name;
  }
}

TEST(ReferenceActivation, SlopeBoundsTheDerivative) {
  for (const Variant& v : all_variants()) {
    for (double z = -8; z < 8; z += 0.01) {
      const double d = (reference_activation(v, z + 1e-6) - reference_activation(v, z)) / 1e-6;
      EXPECT_LE(std::fabs(d), activation_slope(v, z) + 1e-4) << v.name << " " << z;
    }
  }
}

/// A block of random weights.
struct Example {
  std::vector<float> gate, up, down, gate_bias, up_bias, down_bias, x;
  ReferenceBlock block;
  int64_t rows;

  Example(const char* variant, int64_t d, int64_t f, int64_t r) : rows(r) {
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    const auto fill = [&](std::vector<float>& v, int64_t n, double scale) {
      for (int64_t i = 0; i < n; ++i) v.push_back(static_cast<float>(normal(random) * scale));
    };
    fill(gate, f * d, 1 / std::sqrt(d));
    fill(up, f * d, 1 / std::sqrt(d));
    fill(down, f * d, 1 / std::sqrt(f));
    fill(gate_bias, f, 0.1);
    fill(up_bias, f, 0.1);
    fill(down_bias, d, 0.1);
    fill(x, r * d, 1);
    block = {variant_named(variant),
             d,
             f,
             gate.data(),
             up.data(),
             down.data(),
             gate_bias.data(),
             up_bias.data(),
             down_bias.data()};
  }
};

TEST(Reference, MatchesThePlainFormula) {
  const Example e("swiglu", 19, 11, 2);
  const ReferenceResult r = reference_ffn(e.block, e.x.data(), 2);
  for (size_t row = 0; row < 2; ++row) {
    for (size_t c = 0; c < 19; ++c) {
      double y = e.down_bias[c], scale = std::fabs(double{e.down_bias[c]});
      for (size_t f = 0; f < 11; ++f) {
        double gate = e.gate_bias[f], up = e.up_bias[f];
        for (size_t k = 0; k < 19; ++k) {
          gate += double{e.gate[f * 19 + k]} * double{e.x[row * 19 + k]};
          up += double{e.up[f * 19 + k]} * double{e.x[row * 19 + k]};
        }
        const double h = gate / (1 + std::exp(-gate)) * up;
        y += h * double{e.down[c * 11 + f]};
        scale += std::fabs(h * double{e.down[c * 11 + f]});
      }
      EXPECT_NEAR(r.y[row * 19 + c], y, 1e-13);
      EXPECT_NEAR(r.scale[row * 19 + c], scale, 1e-13);
    }
  }
}

TEST(Reference, DriftKnowsTheActivationBesideASmallLimit) {
  Variant v = variant_named("swiglu");
  v.limit = 0.25f;
  const float gate = 0.125f, up = 0.5f, down = 2, x = 1;
  const ReferenceResult r = reference_ffn({v, 1, 1, &gate, &up, &down}, &x, 1);
  const double a = reference_activation(v, 0.125);
  EXPECT_NEAR(r.drift[0], 2 * (0.125 * activation_slope(v, 0.125) * 0.5 + 0.5 * a + 0.25 * a),
              1e-12);
}

TEST(Reference, SamplesGiveTheSameValues) {
  const Example e("gelu", 21, 33, 5);
  const ReferenceResult all = reference_ffn(e.block, e.x.data(), 5);
  const ReferenceSample sample{{4, 0}, {20, 3, 3}};
  const ReferenceResult some = reference_ffn(e.block, e.x.data(), 5, sample);
  ASSERT_EQ(some.y.size(), 6u);
  EXPECT_EQ(some.y[0], all.y[4 * 21 + 20]);
  EXPECT_EQ(some.y[4], all.y[3]);
  EXPECT_EQ(some.scale[1], all.scale[4 * 21 + 3]);
  std::vector<float> y(all.y.begin(), all.y.end());
  EXPECT_EQ(sampled(y, 21, sample)[0], y[4 * 21 + 20]);
  EXPECT_EQ(sampled(y, 21, {}), y);
}

/// y as a plain f32 program computes it: the tolerance must hold for honest code.
std::vector<float> computed_in_f32(const Example& e) {
  const auto d = static_cast<size_t>(e.block.d_model), f = static_cast<size_t>(e.block.d_ff);
  std::vector<float> y;
  for (size_t row = 0; row < static_cast<size_t>(e.rows); ++row) {
    std::vector<float> h;
    for (size_t i = 0; i < f; ++i) {
      float gate = e.gate_bias[i], up = e.up_bias[i];
      for (size_t k = 0; k < d; ++k) {
        gate = std::fma(e.gate[i * d + k], e.x[row * d + k], gate);
        up = std::fma(e.up[i * d + k], e.x[row * d + k], up);
      }
      h.push_back(static_cast<float>(reference_hidden(e.block.variant, double{gate}, double{up})));
    }
    for (size_t c = 0; c < d; ++c) {
      float sum = e.down_bias[c];
      for (size_t i = 0; i < f; ++i) sum = std::fma(e.down[c * f + i], h[i], sum);
      y.push_back(sum);
    }
  }
  return y;
}

TEST(Tolerance, HonestCodePassesAndOneOutputOffByAnEighthDoesNot) {
  for (const char* variant : {"swiglu", "relu2", "gelu", "swiglu_oai", "bilinear"}) {
    for (const auto& [d, f] :
         {std::pair<int64_t, int64_t>{64, 171}, {37, 1}, {1, 37}, {384, 600}}) {
      const Example e(variant, d, f, 3);
      const ReferenceResult r = reference_ffn(e.block, e.x.data(), 3);
      const Tolerance t = tolerance(DType::f32, DType::f32, d, f);
      std::vector<float> y = computed_in_f32(e);
      const Comparison honest = compare(y, r, t);
      EXPECT_TRUE(acceptable(honest, t, d, f))
          << variant << " " << d << "x" << f << " " << honest.rel_l2 << " " << honest.scaled << " "
          << honest.worst;
      int missed = 0, tried = 0;
      for (size_t i = 0; i < y.size(); i += 1 + y.size() / 50) {
        const float kept = y[i];
        y[i] *= 1.125f;
        ++tried;
        if (acceptable(compare(y, r, t), t, d, f)) ++missed;
        y[i] = kept;
      }
      EXPECT_EQ(missed, 0) << "of " << tried << " " << variant << " " << d << "x" << f;
    }
  }
}

TEST(Tolerance, AnInfinityThatALimitMakesFiniteLeavesABound) {
  Example e("swiglu_oai", 1, 37, 2);
  e.x[0] = std::numeric_limits<float>::infinity();
  const ReferenceResult r = reference_ffn(e.block, e.x.data(), 2);
  ASSERT_TRUE(std::isfinite(r.y[0]));
  const Tolerance t = tolerance(DType::f32, DType::f32, 1, 37);
  std::vector<float> y(r.y.begin(), r.y.end());
  EXPECT_TRUE(acceptable(compare(y, r, t), t, 1, 37));
  y[0] *= 1.125f;
  EXPECT_FALSE(acceptable(compare(y, r, t), t, 1, 37));
}

TEST(Tolerance, OneOfAMillionBf16OutputsOffByAnEighthIsSeen) {
  // 64 rows of 4096: the norms cannot see it.
  ReferenceResult r;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<float> y;
  for (int i = 0; i < 64 * 4096; ++i) {
    r.y.push_back(normal(random));
    r.spread.push_back(1);  // 11008 products of mixed sign
    r.scale.push_back(80);
    r.drift.push_back(160);
    y.push_back(static_cast<float>(r.y.back()));
  }
  const Tolerance t = tolerance(DType::bf16, DType::bf16, 4096, 11008);
  EXPECT_TRUE(acceptable(compare(y, r, t), t, 4096, 11008));
  y[77777] += 0.125f;
  const Comparison c = compare(y, r, t);
  EXPECT_LT(c.rel_l2, t.rel_l2);
  EXPECT_FALSE(acceptable(c, t, 4096, 11008));
  EXPECT_EQ(c.worst_index, 77777);
}

TEST(Tolerance, OneOutputOfSumsInF16OffByAnEighthIsSeen) {
  ReferenceResult r;
  r.y = r.spread = {1};
  r.scale = {80};
  r.drift = {160};
  const Tolerance t = tolerance(DType::f16, DType::f16, 4096, 11008, DType::f16);
  EXPECT_LE(compare({1.01f}, r, t).worst, 1);
  EXPECT_GT(compare({1.125f}, r, t).worst, 1);
}

TEST(Tolerance, OfSumsInF16EndsToGrowWithItsBlocks) {
  const auto norm = [](int64_t d) {
    return tolerance(DType::f16, DType::f16, d, d, DType::f16).rel_l2;
  };
  for (int64_t d : {64, 256, 4096})
    EXPECT_GT(norm(d), tolerance(DType::f16, DType::f32, d, d).rel_l2);
  EXPECT_GT(norm(256), norm(64));
  EXPECT_NEAR(norm(4096), norm(256), 1e-4);
  EXPECT_LE(norm(1 << 20), 1e-2);
}

TEST(Tolerance, OfAHiddenLayerInF16IsMuchLessThanOfSumsInIt) {
  for (int64_t d : {1, 64, 4096}) {
    const Tolerance in_f32 = tolerance(DType::f16, DType::f32, d, d),
                    rounded = tolerance(DType::f16, DType::f16, d, d),
                    sums = tolerance(DType::f16, DType::f16, d, d, DType::f16);
    EXPECT_GE(rounded.scaled, in_f32.scaled);
    EXPECT_LE(rounded.scaled, 1e-3);
    EXPECT_GT(rounded.hidden, in_f32.hidden);
    EXPECT_LT(rounded.scaled, sums.scaled);
    EXPECT_EQ(rounded.output, in_f32.output);
  }
}

TEST(Tolerance, StaysWithinTheContract) {
  for (const auto& [d_model, d_ff] :
       {std::pair{1, 37}, {37, 1}, {85, 341}, {512, 1365}, {384, 1536}}) {
    EXPECT_LE(tolerance(DType::f32, DType::f32, d_model, d_ff).rel_l2, 2e-6);
    EXPECT_LE(tolerance(DType::f32, DType::f32, d_model, d_ff).scaled, 2e-6);
  }
  // Long sums err more; a kernel must still be far from losing a quarter of a bf16 ulp.
  EXPECT_LE(tolerance(DType::f32, DType::f32, 1 << 20, 1 << 20).rel_l2, 1e-4);
  // One hidden value in bf16 and y in bf16: two roundings of at most 2^-8 each.
  EXPECT_LE(tolerance(DType::bf16, DType::bf16, 37, 1).scaled, 2 * 0x1p-8);
  for (int64_t d : {1, 37, 512, 4096, 1 << 20}) {
    EXPECT_LE(tolerance(DType::f16, DType::f32, d, d).scaled, 1e-3);
    EXPECT_GE(tolerance(DType::f16, DType::f32, d, d).scaled, 0x1p-11) << "y is rounded";
  }
  for (int64_t d : {37, 512, 4096, 1 << 20}) {
    EXPECT_LE(tolerance(DType::bf16, DType::bf16, d, d).scaled, 4e-3);
    EXPECT_LE(tolerance(DType::bf16, DType::f32, d, d).scaled,
              tolerance(DType::bf16, DType::bf16, d, d).scaled);
  }
}

TEST(Tolerance, OfRoundedStepsIsTwiceTheNormsAndNoMore) {
  const Tolerance fused = tolerance(DType::bf16, DType::bf16, 4096, 11008);
  const Tolerance steps = tolerance_of_rounded_steps(DType::bf16, 4096, 11008);
  EXPECT_EQ(steps.rel_l2, 2 * fused.rel_l2);
  EXPECT_EQ(steps.hidden, 2 * fused.hidden);
  EXPECT_LT(tolerance_of_rounded_steps(DType::f16, 4096, 11008).hidden, steps.hidden / 4);
  EXPECT_EQ(tolerance_of_rounded_steps(DType::f32, 64, 64).hidden, 0);
  EXPECT_EQ(tolerance_of_rounded_steps(DType::f32, 64, 64).rel_l2,
            tolerance(DType::f32, DType::f32, 64, 64).rel_l2);
}

TEST(Compare, KnowsNanAndInfinity) {
  ReferenceResult r;
  r.y = {1, NAN, kInf, -kInf};
  r.scale = r.spread = r.drift = {1, NAN, kInf, kInf};
  const Tolerance t = tolerance(DType::f32, DType::f32, 64, 64);
  const float inf = std::numeric_limits<float>::infinity();
  const Comparison same = compare({1, NAN, inf, -inf}, r, t);
  EXPECT_EQ(same.max_abs, 0);
  EXPECT_TRUE(acceptable(same, t, 64, 64));
  for (const std::vector<float>& wrong : {std::vector<float>{NAN, NAN, inf, -inf},
                                          {1, 5, inf, -inf},
                                          {1, NAN, -inf, -inf},
                                          {1, NAN, 3e38f, -inf},
                                          {inf, NAN, inf, -inf},
                                          {1, NAN}})
    EXPECT_FALSE(acceptable(compare(wrong, r, t), t, 64, 64));
}

TEST(Compare, ZeroOverZeroIsZero) {
  ReferenceResult r;
  r.y = r.scale = r.spread = r.drift = {0, 0};
  const Tolerance t = tolerance(DType::f32, DType::f32, 64, 64);
  const Comparison c = compare({0, 0}, r, t);
  EXPECT_EQ(c.rel_l2, 0);
  EXPECT_EQ(c.scaled, 0);
  EXPECT_FALSE(acceptable(compare({0, 1e-30f}, r, t), t, 64, 64));
}

}  // namespace
}  // namespace gatefold
