#include "formats/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gatefold {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

uint32_t bits_of(float value) { return std::bit_cast<uint32_t>(value); }
float float_of(uint32_t bits) { return std::bit_cast<float>(bits); }

TEST(Bf16, RoundsToNearest) {
  EXPECT_EQ(f32_from_bf16(bf16_from_f32(0.26914088f)), 0.26953125f);
  EXPECT_EQ(bf16_from_f32(1.0f), 0x3F80);
  EXPECT_EQ(bf16_from_f32(-1.0f), 0xBF80);
  EXPECT_EQ(bf16_from_f32(std::numeric_limits<float>::max()), 0x7F80);
}

TEST(Bf16, TiesGoToEven) {
  EXPECT_EQ(bf16_from_f32(float_of(0x3F808000)), 0x3F80);
  EXPECT_EQ(bf16_from_f32(float_of(0x3F818000)), 0x3F82);
  EXPECT_EQ(bf16_from_f32(float_of(0x3F808001)), 0x3F81);
  EXPECT_EQ(bf16_from_f32(float_of(0x3F817FFF)), 0x3F81);
}

TEST(Bf16, NanStaysNan) {
  for (const uint32_t nan : {0x7F800001u, 0x7FFFFFFFu, 0xFF800001u, 0xFFFFFFFFu, 0x7FC00000u}) {
    const uint16_t rounded = bf16_from_f32(float_of(nan));
    EXPECT_TRUE(std::isnan(f32_from_bf16(rounded))) << std::hex << nan << " " << rounded;
    EXPECT_EQ(rounded >> 15, nan >> 31);
  }
}

TEST(Bf16, KeepsInfinityZeroAndSubnormals) {
  EXPECT_EQ(bf16_from_f32(kInfinity), 0x7F80);
  EXPECT_EQ(bf16_from_f32(-kInfinity), 0xFF80);
  EXPECT_EQ(bf16_from_f32(0.0f), 0x0000);
  EXPECT_EQ(bf16_from_f32(-0.0f), 0x8000);
  EXPECT_EQ(bf16_from_f32(0x1p-127f), 0x0040);
}

TEST(Bf16, EveryValueSurvivesTheWayToF32AndBack) {
  for (uint32_t half = 0; half <= 0xFFFF; ++half) {
    const float value = f32_from_bf16(static_cast<uint16_t>(half));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(f32_from_bf16(bf16_from_f32(value)))) << std::hex << half;
    } else {
      ASSERT_EQ(bf16_from_f32(value), half) << std::hex << half;
    }
  }
}

TEST(F16, NamedValues) {
  EXPECT_EQ(f32_from_f16(0x3C00), 1.0f);
  EXPECT_EQ(f32_from_f16(0xC000), -2.0f);
  EXPECT_EQ(f32_from_f16(0x7BFF), 65504.0f);
  EXPECT_EQ(f32_from_f16(0x0400), 0x1p-14f);
  EXPECT_EQ(f32_from_f16(0x3555), 0x1.554p-2f);
}

TEST(F16, Subnormals) {
  EXPECT_EQ(f32_from_f16(0x0001), 0x1p-24f);
  EXPECT_EQ(f32_from_f16(0x8001), -0x1p-24f);
  EXPECT_EQ(f32_from_f16(0x03FF), 0x1.ff8p-15f);
}

TEST(F16, ZeroInfinityNan) {
  EXPECT_EQ(bits_of(f32_from_f16(0x0000)), 0x00000000u);
  EXPECT_EQ(bits_of(f32_from_f16(0x8000)), 0x80000000u);
  EXPECT_EQ(f32_from_f16(0x7C00), kInfinity);
  EXPECT_EQ(f32_from_f16(0xFC00), -kInfinity);
  for (const uint16_t nan : {0x7C01, 0x7E00, 0x7FFF, 0xFC01}) {
    EXPECT_TRUE(std::isnan(f32_from_f16(nan))) << std::hex << nan;
  }
}

TEST(F16, EveryFiniteValueIsExact) {
  for (uint32_t half = 0; half < 0x7C00; ++half) {
    const int exponent = static_cast<int>(half >> 10);
    const int mantissa = static_cast<int>(half & 0x3FF);
    const double exact =
        exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(f32_from_f16(static_cast<uint16_t>(half)), exact) << std::hex << half;
    ASSERT_EQ(f32_from_f16(static_cast<uint16_t>(half | 0x8000)), -exact) << std::hex << half;
  }
}

}  // namespace
}  // namespace gatefold
