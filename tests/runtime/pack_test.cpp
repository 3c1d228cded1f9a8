#include "runtime/pack.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "runtime/float_formats.h"
#include "runtime/pool.h"

namespace gatefold {
namespace {

struct Case {
  int64_t n, k;
  gf_packing packing;
};

constexpr Case kCases[] = {
    {1, 1, {16, 1, 1, 2}},     {37, 21, {16, 1, 1, 2}},   {21, 37, {16, 2, 8, 1}},
    {85, 341, {8, 1, 4, 3}},   {129, 65, {16, 2, 1, 4}},  {5, 200, {1, 4, 2, 1}},
    {300, 64, {32, 1, 16, 2}}, {130, 128, {64, 8, 1, 1}},
};

/// Bytes of a source element holding a value that depends on its place.
float value_of(int64_t n, int64_t k) {
  return static_cast<float>((n * 131 + k * 7) % 251 - 125) / 8;
}

void store(gf_dtype dtype, float value, uint8_t* p) {
  if (dtype == GF_F32) {
    std::memcpy(p, &value, 4);
    return;
  }
  const uint16_t half = dtype == GF_F16 ? f16_from_f32(value) : bf16_from_f32(value);
  std::memcpy(p, &half, 2);
}

/// A source with its own strides at an odd address.
struct Source {
  std::vector<uint8_t> bytes;
  MatrixView view;

  Source(int64_t n, int64_t k, gf_dtype dtype, int64_t stride_n, int64_t stride_k) {
    const int64_t size = dtype_bytes(dtype);
    bytes.resize(static_cast<size_t>(((n - 1) * stride_n + (k - 1) * stride_k + 1) * size + 1));
    view = {bytes.data() + 1, dtype, n, k, stride_n, stride_k};
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < k; ++j)
        store(dtype, value_of(i, j), bytes.data() + 1 + (i * stride_n + j * stride_k) * size);
  }
};

float packed_at(const PackedLayout& l, const std::vector<uint8_t>& out, int64_t n, int64_t k) {
  const int64_t index =
      ((n / l.panel * l.kq + k / l.pair) * l.panel + n % l.panel) * l.pair + k % l.pair;
  const uint8_t* p = out.data() + index * dtype_bytes(l.dtype);
  if (l.dtype == GF_F32) return *reinterpret_cast<const float*>(p);
  const uint16_t half = *reinterpret_cast<const uint16_t*>(p);
  return l.dtype == GF_F16 ? f32_from_f16(half) : f32_from_bf16(half);
}

void expect_packed(const Source& source, const PackedLayout& layout) {
  std::vector<uint8_t> out(static_cast<size_t>(layout.bytes()), 0xff);
  pack_matrix(source.view, layout, {.threads = 3}, out.data());
  for (int64_t n = 0; n < layout.panels * layout.panel; ++n) {
    for (int64_t k = 0; k < layout.kq * layout.pair; ++k) {
      const bool inside = n < source.view.n && k < source.view.k;
      const float wanted = inside ? value_of(n, k) : 0.0f;
      // The values are exact in f32 and f16.
      const bool narrow = layout.dtype == GF_BF16 || source.view.dtype == GF_BF16;
      const float rounded = narrow ? f32_from_bf16(bf16_from_f32(wanted)) : wanted;
      ASSERT_EQ(packed_at(layout, out, n, k), rounded) << n << " " << k;
    }
  }
}

TEST(Pack, AllTypesLayoutsAndOrders) {
  for (const Case& c : kCases) {
    for (gf_dtype from : {GF_F32, GF_BF16, GF_F16}) {
      for (gf_dtype to : {GF_F32, GF_BF16, GF_F16}) {
        SCOPED_TRACE(testing::Message() << c.n << "x" << c.k << " " << from << "->" << to);
        const PackedLayout layout = packed_layout(c.packing, c.n, c.k, to);
        expect_packed(Source(c.n, c.k, from, c.k, 1), layout);
        expect_packed(Source(c.n, c.k, from, c.k + 5, 1), layout);
        expect_packed(Source(c.n, c.k, from, 1, c.n), layout);
        expect_packed(Source(c.n, c.k, from, 2, 2 * c.n + 3), layout);
      }
    }
  }
}

TEST(Pack, LayoutIsPaddedToGroupsAndSteps) {
  const PackedLayout l = packed_layout({16, 2, 8, 3}, 65, 33, GF_BF16);
  EXPECT_EQ(l.panels, 6);
  EXPECT_EQ(l.kq, 24);
  EXPECT_EQ(l.bytes(), 6 * 24 * 16 * 2 * 2);
}

TEST(Pack, Bf16KeepsItsBits) {
  std::vector<uint16_t> from = {0x7f81, 0xffff, 0x0001, 0x8000};  // NaNs, a subnormal, -0
  const PackedLayout layout = packed_layout({4, 1, 1, 1}, 4, 1, GF_BF16);
  std::vector<uint16_t> out(4);
  pack_matrix({reinterpret_cast<const uint8_t*>(from.data()), GF_BF16, 4, 1, 1, 1}, layout, {},
              out.data());
  EXPECT_EQ(out, from);
}

TEST(Pack, SameBytesForAnyThreadCount) {
  const Source source(700, 100, GF_F32, 100, 1);
  const PackedLayout layout = packed_layout({16, 2, 1, 2}, 700, 100, GF_BF16);
  std::vector<uint8_t> one(static_cast<size_t>(layout.bytes())), four(one.size(), 0xff);
  pack_matrix(source.view, layout, {.threads = 1}, one.data());
  pack_matrix(source.view, layout, {.threads = 4}, four.data());
  EXPECT_EQ(one, four);
  EXPECT_GE(Pool::process().workers(), 1) << "packing takes part in the pool";
}

TEST(Pack, VectorsBecomeF32WithZeros) {
  const std::vector<uint16_t> bits = {0x3f80, 0x4000, 0xbf80};
  const MatrixView view{reinterpret_cast<const uint8_t*>(bits.data()), GF_BF16, 3, 1, 1, 1};
  std::vector<float> out(6, 9.0f);
  pack_vector(view, 6, out.data());
  EXPECT_EQ(out, (std::vector<float>{1, 2, -1, 0, 0, 0}));
  pack_vector({}, 6, out.data());
  EXPECT_EQ(out, std::vector<float>(6, 0.0f));
}

}  // namespace
}  // namespace gatefold
