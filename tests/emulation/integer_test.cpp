#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "tests/emulation/kernels.h"
#include "tests/emulation/values.h"

namespace gatefold::emulation {
namespace {

TEST(Integer, Permutations) {
  Values values(1);
  const auto a = values.words<int, 16>(), b = values.words<int, 16>(), at = values.words<int, 16>();
  std::array<int, 48> out{};
  k_permute(out.data(), a.data(), b.data(), at.data());
  size_t packed = 32;
  for (size_t i = 0; i < 16; ++i) {
    const size_t lane = static_cast<size_t>(at[i] & 15);
    EXPECT_EQ(out[i], at[i] & 16 ? b[lane] : a[lane]) << "two sources, " << i;
    EXPECT_EQ(out[16 + i], a[lane]) << "one source, " << i;
    if (0xa5a5 >> i & 1) {
      EXPECT_EQ(out[packed++], a[i]) << "compressed, " << i;
    }
  }
}

TEST(Integer, Bytes) {
  Values values(2);
  const auto a = values.words<uint8_t, 64>(), b = values.words<uint8_t, 64>();
  std::array<uint8_t, 128> out;
  k_bytes(out.data(), a.data(), b.data());
  for (size_t i = 0; i < 64; ++i) {
    const int sum = static_cast<int8_t>(a[i]) + static_cast<int8_t>(b[i]);
    EXPECT_EQ(static_cast<int8_t>(out[i]), std::clamp(sum, -128, 127)) << i;
    EXPECT_EQ(out[64 + i], a[i] > b[i] ? a[i] - b[i] : a[i]) << "masked, " << i;
  }
}

TEST(Integer, NarrowVectorsWithMask) {
  Values values(3);
  const auto a = values.words<int, 8>();
  std::array<int, 8> out;
  k_ternary(out.data(), a.data());
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(out[i], 0x5a >> i & 1 ? a[i] ^ 0x0f0f0f0f ^ 7 : 0) << i;
  }
}

TEST(Integer, VexZeroesTheUpperHalf) {
  Values values(4);
  const auto a = values.array<int, 16>([&] { return values.word() >> 2; });
  std::array<int, 16> out;
  k_upper_half(out.data(), a.data());
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], i < 8 ? a[i] * 2 : 0) << i;
}

TEST(Integer, DotProducts) {
  Values values(5);
  const auto start = values.array<int, 16>([&] { return values.word() >> 4; });
  const auto a = values.words<uint8_t, 64>();
  const auto b = values.words<int8_t, 64>();
  auto out = start;
  k_dot_bytes(out.data(), a.data(), b.data());
  for (size_t i = 0; i < 16; ++i) {
    int sum = start[i];
    for (size_t j = 4 * i; j < 4 * i + 4; ++j) sum += a[j] * b[j];
    EXPECT_EQ(out[i], sum) << i;
  }
}

TEST(Integer, BitCounts) {
  Values values(6);
  const auto a = values.array<int, 16>([&] { return values.word() >> values.word() % 32; });
  const auto b = values.words<uint8_t, 64>();
  std::array<int, 16> zeros, words;
  std::array<uint8_t, 64> bytes;
  k_leading_zeros(zeros.data(), a.data());
  k_popcount(words.data(), bytes.data(), a.data(), b.data());
  for (size_t i = 0; i < 16; ++i) {
    EXPECT_EQ(zeros[i], std::countl_zero(static_cast<uint32_t>(a[i]))) << i;
    EXPECT_EQ(words[i], std::popcount(static_cast<uint32_t>(a[i]))) << i;
  }
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(bytes[i], std::popcount(b[i])) << i;
}

TEST(Integer, BytePermutationAndWordCompression) {
  Values values(7);
  const auto a = values.words<uint8_t, 64>(), at = values.words<uint8_t, 64>();
  std::array<uint8_t, 64> bytes;
  k_permute_bytes(bytes.data(), a.data(), at.data());
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(bytes[i], a[at[i] & 63]) << i;
  const auto words = values.words<uint16_t, 32>();
  std::array<uint16_t, 32> out;
  k_compress_words(out.data(), words.data(), 0x12345678);
  size_t packed = 0;
  for (size_t i = 0; i < 32; ++i) {
    if (0x12345678u >> i & 1) {
      EXPECT_EQ(out[packed++], words[i]) << i;
    }
  }
}

TEST(Integer, FiftyTwoBitProducts) {
  Values values(8);
  const auto word = [&] { return uint64_t{values.word()} << 20 ^ values.word(); };
  const auto a = values.array<uint64_t, 8>(word), b = values.array<uint64_t, 8>(word);
  std::array<uint64_t, 8> out{};
  k_multiply52(out.data(), a.data(), b.data());
  for (size_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], a[i] * b[i] & ((uint64_t{1} << 52) - 1)) << i;
}

/// In GF(2^8) with the polynomial x^8 + x^4 + x^3 + x + 1.
uint8_t galois_product(unsigned a, unsigned b) {
  unsigned product = 0;
  for (int bit = 0; bit < 8; ++bit) {
    if (b >> bit & 1) product ^= a << bit;
  }
  for (int bit = 14; bit >= 8; --bit) {
    if (product >> bit & 1) product ^= 0x11bu << (bit - 8);
  }
  return static_cast<uint8_t>(product);
}

TEST(Integer, GaloisProducts) {
  Values values(9);
  const auto a = values.words<uint8_t, 64>(), b = values.words<uint8_t, 64>();
  std::array<uint8_t, 64> out;
  k_galois(out.data(), a.data(), b.data());
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(out[i], galois_product(a[i], b[i])) << i;
}

}  // namespace
}  // namespace gatefold::emulation
