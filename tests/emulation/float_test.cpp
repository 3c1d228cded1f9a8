#include <gtest/gtest.h>
#include <xmmintrin.h>

#include <cfenv>
#include <cmath>
#include <vector>

#include "tests/emulation/kernels.h"
#include "tests/emulation/values.h"

namespace gatefold::emulation {
namespace {

using Floats = std::array<float, 16>;

float with_controls(unsigned controls, float a, float b, float c) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(controls);
  volatile float x = a, y = b, z = c;
  volatile float result = std::fmaf(x, y, z);
  _mm_setcsr(before);
  return result;
}

TEST(Float, FusedMultiplyAdd) {
  Values values(1);
  const Floats a = values.plain_floats<16>(), b = values.plain_floats<16>();
  const Floats c = values.plain_floats<16>();
  std::array<float, 32> out{};
  std::copy(c.begin(), c.end(), out.begin());
  k_fma(out.data(), a.data(), b.data(), 0.75f);
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(out[i], std::fmaf(-a[i], b[i], std::fmaf(a[i], 0.75f, c[i]))) << i;
  }
}

TEST(Float, EmbeddedRounding) {
  Values values(2);
  const Floats a = values.plain_floats<16>(), b = values.plain_floats<16>();
  std::array<float, 32> out{};
  k_fma(out.data(), a.data(), b.data(), 0.75f);
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(out[16 + i], with_controls(0x7f80, out[i], out[i], out[i])) << i;
  }
}

struct Operands {
  Floats a, b;
};

/// Ordinary values, any bits, and tiny ones in turn.
Operands operands(Values& values, int turn) {
  const auto first = [&] { return turn & 2 ? values.tiny() : values.any(); };
  const auto second = [&] {
    return turn & 1 ? values.any() : float_of((values.word() & 0x80ffffff) | 0x3f000000);
  };
  return {values.array<float, 16>(first), values.array<float, 16>(second)};
}

TEST(Float, AnyBitsInEveryWidth) {
  Values values(3);
  for (int turn = 0; turn < 2000; ++turn) {
    const auto [a, b] = operands(values, turn);
    std::array<float, 80> out;
    k_narrow(out.data(), a.data(), b.data());
    for (size_t i = 0; i < 16; ++i) {
      ASSERT_TRUE(same(out[i], a[i] * b[i])) << "512-bit mul of " << a[i] << ", " << b[i];
      ASSERT_TRUE(same(out[16 + i], std::fmaf(a[i], b[i], a[i ^ 1]))) << "scalar fma";
      ASSERT_TRUE(same(out[32 + i], std::fmaf(-a[i], b[i], -a[i ^ 8]))) << "256-bit fnmsub";
      ASSERT_TRUE(same(out[48 + i], a[i] - b[i])) << "128-bit sub";
      const float masked = 0x3c5a >> i & 1 ? std::fmaf(a[i], b[i], b[i]) : a[i];
      ASSERT_TRUE(same(out[64 + i], masked)) << "masked fma";
    }
  }
}

TEST(Float, AnyBitsFused) {
  Values values(4);
  for (int turn = 0; turn < 2000; ++turn) {
    const auto [a, b] = operands(values, turn);
    std::array<float, 32> out{};
    std::copy(b.begin(), b.end(), out.begin());
    k_fma(out.data(), a.data(), b.data(), 2);
    for (size_t i = 0; i < 16; ++i) {
      const float expected = std::fmaf(-a[i], b[i], std::fmaf(a[i], 2, b[i]));
      ASSERT_TRUE(same(out[i], expected)) << a[i] << ", " << b[i];
    }
  }
}

TEST(Float, ControlsOfMxcsrAreObeyed) {
  Values values(5);
  for (int turn = 0; turn < 2000; ++turn) {
    const auto [a, b] = operands(values, turn);
    Floats out;
    k_flush_to_zero(out.data(), a.data(), b.data());
    for (size_t i = 0; i < 16; ++i) {
      ASSERT_TRUE(same(out[i], with_controls(0x9fc0, a[i], b[i], a[i]))) << a[i] << ", " << b[i];
    }
  }
  EXPECT_EQ(_mm_getcsr() & 0xffc0, 0x1f80u) << "restored";
}

TEST(Float, Arithmetic) {
  Values values(6);
  const Floats a = values.plain_floats<16>(), b = values.plain_floats<16>();
  std::array<float, 128> out;
  k_arithmetic(out.data(), a.data(), b.data());
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(out[i], a[i] / b[i]);
    EXPECT_EQ(out[16 + i], std::sqrt(std::fabs(a[i])));
    EXPECT_EQ(out[32 + i], std::max(a[i], b[i]));
    EXPECT_EQ(out[48 + i], std::ldexp(a[i], static_cast<int>(std::nearbyint(b[i]))));
    EXPECT_EQ(out[64 + i], std::nearbyint(a[i]));
    EXPECT_EQ(out[80 + i], a[i] < b[i] ? b[i] : a[i]);
    EXPECT_NEAR(out[96 + i] * std::sqrt(std::fabs(a[i])), 1, 1 / 16384.0) << "rsqrt14";
    EXPECT_NEAR(out[112 + i] * a[i], 1, 1 / 16384.0) << "rcp14";
  }
}

TEST(Float, ReduceAndGather) {
  Values values(7);
  const auto a = values.plain_floats<64>();
  double sum = 0;
  for (size_t i = 0; i < 16; ++i) sum += a[i];
  EXPECT_NEAR(k_reduce(a.data()), sum, 1e-4);
  const auto index = values.array<int, 16>([&] { return values.word() % 64; });
  Floats out;
  k_gather(out.data(), a.data(), index.data(), 0xf0f3);
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(out[i], 0xf0f3 >> i & 1 ? a[static_cast<size_t>(index[i])] : 0) << i;
  }
}

TEST(Float, Doubles) {
  Values values(8);
  const auto a = values.array<double, 8>([&] { return values.plain(); });
  const auto b = values.array<int64_t, 8>([&] { return int64_t{values.word()} << 9; });
  std::array<double, 8> sum;
  std::array<int64_t, 8> square;
  k_doubles(sum.data(), square.data(), a.data(), b.data());
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(sum[i], a[i] + static_cast<double>(b[i]));
    const auto wide = static_cast<uint64_t>(b[i]);
    EXPECT_EQ(static_cast<uint64_t>(square[i]), wide * wide);
  }
}

TEST(Float, MatrixProductBitForBit) {
  constexpr int kDepth = 256;
  Values values(9);
  const auto a = values.plain_floats<6 * kDepth>();
  const auto b = values.plain_floats<64 * kDepth>();
  std::vector<float> c(6 * 64);
  k_gemm_f32(c.data(), a.data(), b.data(), kDepth);
  for (size_t r = 0; r < 6; ++r) {
    for (size_t j = 0; j < 64; ++j) {
      float sum = 0;
      for (size_t k = 0; k < kDepth; ++k) sum = std::fmaf(a[r * kDepth + k], b[k * 64 + j], sum);
      ASSERT_EQ(c[r * 64 + j], sum) << r << ", " << j;
    }
  }
}

}  // namespace
}  // namespace gatefold::emulation
