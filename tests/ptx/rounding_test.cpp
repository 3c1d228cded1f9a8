#include "tests/ptx/rounding.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "runtime/float_formats.h"

namespace gatefold::ptx {
namespace {

constexpr FloatFormat kF16{5, 10}, kBf16{8, 7}, kF32{8, 23};

TEST(Rounding, SixteenBitsThereAndBack) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float f16 = half_value(Type::f16, half), bf16 = half_value(Type::bf16, half);
    for (const Round round : {Round::nearest_even, Round::zero, Round::down, Round::up}) {
      ASSERT_EQ(encoded(f16, kF16, round), std::isnan(f16) ? 0x7fff : bits);
      ASSERT_EQ(encoded(bf16, kBf16, round), std::isnan(bf16) ? 0x7fff : bits);
    }
  }
}

TEST(Rounding, ToTheNearestAsTheRuntimeDoes) {
  uint32_t bits = 1;
  for (int turn = 0; turn < 300000; ++turn) {
    bits = bits * 1664525 + 1013904223;
    // Of the halves with few low bits, ties are likely.
    const float value = std::bit_cast<float>(turn % 2 == 0 ? bits : bits & 0xfffff000);
    if (std::isnan(value)) continue;
    ASSERT_EQ(encoded(value, kF16, Round::nearest_even), f16_from_f32(value)) << value;
    ASSERT_EQ(encoded(value, kBf16, Round::nearest_even), bf16_from_f32(value)) << value;
    ASSERT_EQ(encoded(value, kF32, Round::zero), std::bit_cast<uint32_t>(value));
  }
}

TEST(Rounding, DirectionsEncloseTheValue) {
  const double value = 1 + 0x1p-40;
  EXPECT_EQ(encoded(value, kF32, Round::down), 0x3f800000u);
  EXPECT_EQ(encoded(value, kF32, Round::up), 0x3f800001u);
  EXPECT_EQ(encoded(-value, kF32, Round::down), 0xbf800001u);
  EXPECT_EQ(encoded(-value, kF32, Round::up), 0xbf800000u);
  EXPECT_EQ(encoded(-value, kF32, Round::zero), 0xbf800000u);
  EXPECT_EQ(encoded(0x1p-200, kF32, Round::up), 1u);
  EXPECT_EQ(encoded(-0x1p-200, kF32, Round::up), 0x80000000u);
  EXPECT_EQ(encoded(0x1p200, kF32, Round::down), 0x7f7fffffu);
  EXPECT_EQ(encoded(-0x1p200, kF32, Round::down), 0xff800000u);
}

TEST(Rounding, WholeNumbersOf64Bits) {
  EXPECT_EQ(encoded(false, ~uint64_t{0}, 0, kF32, Round::zero), 0x5f7fffffu);
  EXPECT_EQ(encoded(false, ~uint64_t{0}, 0, kF32, Round::nearest_even), 0x5f800000u);
  EXPECT_EQ(encoded(true, 3, -1, kF32, Round::nearest_even), 0xbfc00000u);
  EXPECT_EQ(encoded(false, 0x1000001, 0, kF32, Round::nearest_away), 0x4b800001u);
  EXPECT_EQ(encoded(false, 1, -150, kF32, Round::nearest_even), 0u) << "half of the smallest";
  EXPECT_EQ(encoded(false, 3, -150, kF32, Round::nearest_even), 2u);
}

TEST(Rounding, OddSumsKeepWhatATieWouldLose) {
  EXPECT_EQ(odd_sum(1, 2), 3);
  EXPECT_EQ(odd_sum(1, 0x1p-100), 1 + 0x1p-52);
  EXPECT_EQ(odd_sum(1, -0x1p-100), 1 - 0x1p-53);
  EXPECT_EQ(odd_sum(-1, -0x1p-100), -1 - 0x1p-52);
  EXPECT_EQ(odd_sum(-1, 0x1p-100), -1 + 0x1p-53);
  EXPECT_EQ(odd_sum(1 + 0x1p-52, 0x1p-100), 1 + 0x1p-52);
  EXPECT_TRUE(std::isinf(odd_sum(HUGE_VAL, 1)));
}

TEST(Rounding, FlushKeepsTheSign) {
  EXPECT_EQ(std::bit_cast<uint32_t>(flushed(0x1p-127f)), 0u);
  EXPECT_EQ(std::bit_cast<uint32_t>(flushed(-0x1p-127f)), 0x80000000u);
  EXPECT_EQ(flushed(0x1p-126f), 0x1p-126f);
}

}  // namespace
}  // namespace gatefold::ptx
