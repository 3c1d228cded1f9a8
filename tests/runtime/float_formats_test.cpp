#include "runtime/float_formats.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gatefold {
namespace {

float from_bits(uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(Bf16, RoundsToNearestEven) {
  EXPECT_EQ(f32_from_bf16(bf16_from_f32(0.26914088f)), 0.26953125f)
      << "truncation gives 0.26757812";
  EXPECT_EQ(bf16_from_f32(from_bits(0x3f808000)), 0x3f80) << "tie, even below";
  EXPECT_EQ(bf16_from_f32(from_bits(0x3f818000)), 0x3f82) << "tie, even above";
  EXPECT_EQ(bf16_from_f32(from_bits(0x3f808001)), 0x3f81);
  EXPECT_EQ(bf16_from_f32(-1.0f), 0xbf80);
  EXPECT_EQ(bf16_from_f32(-0.0f), 0x8000);
}

TEST(Bf16, NanStaysNanAndLargeBecomesInfinite) {
  for (uint32_t bits : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0x7fc00000u})
    EXPECT_TRUE(std::isnan(f32_from_bf16(bf16_from_f32(from_bits(bits))))) << std::hex << bits;
  EXPECT_EQ(bf16_from_f32(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(bf16_from_f32(std::numeric_limits<float>::infinity()), 0x7f80);
}

TEST(Bf16, KeepsSubnormals) { EXPECT_EQ(bf16_from_f32(std::ldexp(1.0f, -127)), 0x0040); }

TEST(Bf16, EveryValueSurvivesTheWayToF32AndBack) {
  for (uint32_t half = 0; half <= 0xffff; ++half) {
    const float value = f32_from_bf16(static_cast<uint16_t>(half));
    const uint16_t back = bf16_from_f32(value);
    ASSERT_EQ(std::isnan(value) ? back & 0xffbf : back, std::isnan(value) ? half & 0xffbf : half);
  }
}

TEST(F16, ConvertsEveryValueExactly) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const int exponent = (h >> 10) & 0x1f;
    const double mantissa = h & 0x3ff, sign = h & 0x8000 ? -1 : 1;
    const float value = f32_from_f16(static_cast<uint16_t>(h));
    if (exponent == 0x1f) {
      EXPECT_EQ(std::isnan(value), mantissa != 0);
      EXPECT_EQ(std::isinf(value), mantissa == 0);
      continue;
    }
    const double wanted =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(value, sign * wanted) << std::hex << h;
    ASSERT_EQ(std::signbit(value), sign < 0);
  }
}

TEST(F16, EveryValueSurvivesTheWayToF32AndBack) {
  for (uint32_t h = 0; h < 0x10000; ++h) {
    const float value = f32_from_f16(static_cast<uint16_t>(h));
    const uint32_t quiet = std::isnan(value) ? h | 0x200 : h;
    ASSERT_EQ(f16_from_f32(value), quiet) << std::hex << h;
  }
}

/// Between any two neighbours: the tie goes to the even one, what is beside it to the nearer one.
TEST(F16, RoundsToNearestEven) {
  for (uint16_t h = 0; h < 0x7bff; ++h) {
    const float low = f32_from_f16(h), high = f32_from_f16(h + 1), middle = (low + high) / 2;
    ASSERT_EQ(f16_from_f32(middle), h % 2 ? h + 1 : h) << std::hex << h;
    ASSERT_EQ(f16_from_f32(std::nextafter(middle, 0.0f)), h) << std::hex << h;
    ASSERT_EQ(f16_from_f32(std::nextafter(middle, high)), h + 1) << std::hex << h;
    ASSERT_EQ(f16_from_f32(-middle), 0x8000 | (h % 2 ? h + 1 : h)) << std::hex << h;
  }
}

TEST(F16, NanStaysNanAndLargeBecomesInfinite) {
  for (uint32_t bits : {0x7f800001u, 0x7fffffffu, 0xff800001u, 0x7fc00000u})
    EXPECT_TRUE(std::isnan(f32_from_f16(f16_from_f32(from_bits(bits))))) << std::hex << bits;
  EXPECT_EQ(f16_from_f32(65519.0f), 0x7bff);
  EXPECT_EQ(f16_from_f32(65520.0f), 0x7c00) << "tie between 65504 and 65536, which is infinite";
  EXPECT_EQ(f16_from_f32(-std::numeric_limits<float>::infinity()), 0xfc00);
}

}  // namespace
}  // namespace gatefold
