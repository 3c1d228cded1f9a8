#include <gtest/gtest.h>

#include <cmath>

#include "tests/emulation/kernels.h"
#include "tests/emulation/values.h"

namespace gatefold::emulation {
namespace {

/// As the ISA rounds: to nearest even, denormals to zero, NaN made quiet.
uint16_t bf16_of(float value) {
  const uint32_t bits = bits_of(value), magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  if (magnitude < 0x00800000) return static_cast<uint16_t>(bits >> 16 & 0x8000);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float flushed(float value) {
  const uint32_t bits = bits_of(value);
  return bits & 0x7f800000 ? value : float_of(bits & 0x80000000);
}

/// The odd product first, then the even one, each fused and flushed.
float dot(float c, uint32_t a, uint32_t b) {
  const auto odd = [](uint32_t pair) { return flushed(float_of(pair & 0xffff0000)); };
  const auto even = [](uint32_t pair) { return flushed(float_of(pair << 16)); };
  c = flushed(std::fmaf(odd(a), odd(b), flushed(c)));
  return flushed(std::fmaf(even(a), even(b), c));
}

/// Ordinary numbers, and in every second turn any bits.
uint32_t pair(Values& values, int turn) {
  if (turn & 1) return values.word();
  return uint32_t{bf16_of(values.plain())} << 16 | bf16_of(values.plain());
}

TEST(Bf16, DotProducts) {
  constexpr unsigned kMask = 0x9a5b;
  Values values(1);
  for (int turn = 0; turn < 500; ++turn) {
    const auto a = values.array<uint32_t, 16>([&] { return pair(values, turn); });
    const auto b = values.array<uint32_t, 16>([&] { return pair(values, turn); });
    const auto c =
        values.array<float, 16>([&] { return turn & 1 ? values.any() : values.plain(); });
    std::array<float, 80> sums{};
    std::copy(c.begin(), c.end(), sums.begin());
    k_dot(sums.data(), a.data(), b.data(), kMask);
    for (size_t i = 0; i < 16; ++i) {
      const float full = dot(c[i], a[i], b[i]);
      const bool on = kMask >> i & 1;
      ASSERT_TRUE(same(sums[i], full)) << turn << ", " << i;
      ASSERT_TRUE(same(sums[16 + i], on ? full : c[i])) << "merged, " << i;
      ASSERT_TRUE(same(sums[32 + i], on ? full : 0)) << "zeroed, " << i;
      ASSERT_TRUE(same(sums[48 + i], dot(c[i], a[i], b[3]))) << "broadcast, " << i;
      if (i < 8) {
        ASSERT_TRUE(same(sums[64 + i], dot(full, a[i], b[i]))) << "256 bits, " << i;
      }
    }
  }
}

TEST(Bf16, Conversions) {
  constexpr unsigned kMask = 0x00ff7a31;
  Values values(2);
  for (int turn = 0; turn < 300; ++turn) {
    const auto high = values.array<float, 16>([&] { return values.any(); });
    const auto low = values.array<float, 16>([&] { return values.any(); });
    std::array<uint16_t, 112> out{};
    k_convert(out.data(), high.data(), low.data(), kMask);
    for (size_t i = 0; i < 32; ++i) {
      const uint16_t full = bf16_of(i < 16 ? low[i] : high[i - 16]);
      const bool on = kMask >> i & 1;
      ASSERT_EQ(out[i], full) << i;
      ASSERT_EQ(out[32 + i], on ? full : 0) << "zeroed, " << i;
      ASSERT_EQ(out[80 + i], on ? full : 0x1111) << "merged, " << i;
      if (i < 16) {
        ASSERT_EQ(out[64 + i], bf16_of(low[i])) << "one input, " << i;
      }
    }
  }
}

}  // namespace
}  // namespace gatefold::emulation
