#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runtime/float_formats.h"
#include "tests/ptx/fragments.h"
#include "tests/ptx/interpreter.h"
#include "tests/ptx/single_cases.h"
#include "tests/ptx/warp_kernels.h"

namespace gatefold::ptx {
namespace {

/// Small numbers with few bits: their sums are exact, so that nothing is forgiven.
std::vector<float> values(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = (static_cast<float>(seed >> 24) - 128) / 16;
  }
  return values;
}

std::vector<uint16_t> halves(const std::vector<float>& values, bool bf16) {
  std::vector<uint16_t> bits;
  for (const float value : values)
    bits.push_back(bf16 ? bf16_from_f32(value) : f16_from_f32(value));
  return bits;
}

struct Product {
  std::vector<float> a = values(256, 1), b = values(128, 2), c = values(128, 3);

  std::vector<float> wanted() const {
    std::vector<float> d = c;
    for (size_t row = 0; row < 16; ++row) {
      for (size_t column = 0; column < 8; ++column) {
        for (size_t k = 0; k < 16; ++k) {
          d[row * 8 + column] += a[row * 16 + k] * b[k * 8 + column];
        }
      }
    }
    return d;
  }

  std::vector<float> by(const std::string& kernel, bool bf16) const {
    Memory memory;
    const uint64_t out = memory.allocate(512, "d");
    Launch launch;
    launch.block = {32, 1, 1};
    launch.parameter(memory.upload(halves(a, bf16), "a"));
    launch.parameter(memory.upload(halves(b, bf16), "b"));
    launch.parameter(memory.upload(c, "c")).parameter(out);
    const Summary summary = run(parse(module_header() + kernel), "product", launch, memory);
    EXPECT_EQ(summary.matrix_products, 1u);
    return memory.download<float>(out, 128);
  }
};

TEST(Matrix, ProductOfF16) {
  const Product product;
  EXPECT_EQ(product.by(product_kernel("f16"), false), product.wanted());
}

TEST(Matrix, ProductOfBf16) {
  const Product product;
  EXPECT_EQ(product.by(product_kernel("bf16"), true), product.wanted());
}

TEST(Matrix, MissingTransIsSeen) {
  const Product product;
  const std::string load = "ldmatrix.sync.aligned.m8n8.x2.shared.b16";
  EXPECT_NE(product.by(product_kernel("f16", load), false), product.wanted());
}

TEST(Matrix, SpecialValuesStayInTheirRow) {
  Product product;
  product.a[3 * 16 + 5] = std::numeric_limits<float>::infinity();
  product.a[9 * 16 + 0] = std::numeric_limits<float>::quiet_NaN();
  const auto found = product.by(product_kernel("bf16"), true);
  for (size_t row = 0; row < 16; ++row) {
    for (size_t column = 0; column < 8; ++column) {
      const float value = found[row * 8 + column];
      EXPECT_EQ(std::isnan(value), row == 9 || (row == 3 && product.b[5 * 8 + column] == 0));
      EXPECT_EQ(std::isfinite(value), row != 9 && row != 3) << row;
    }
  }
}

/// Fragments are laid out by hand here: all of a and b are 1 but for one element of each.
struct Fragments {
  int registers_of_a, registers_of_b, registers_of_c;
  std::vector<uint32_t> a, b, c;

  Fragments(int a_count, int b_count, int c_count, uint32_t c_value)
      : registers_of_a(a_count),
        registers_of_b(b_count),
        registers_of_c(c_count),
        a(static_cast<size_t>(32 * a_count), 0x3c003c00),
        b(static_cast<size_t>(32 * b_count), 0x3c003c00),
        c(static_cast<size_t>(32 * c_count), c_value) {}

  std::vector<uint32_t> by(const std::string& shape_and_types) const {
    const std::string kernel =
        fragment_kernel(shape_and_types, registers_of_a, registers_of_b, registers_of_c);
    Memory memory;
    const uint64_t out = memory.allocate(c.size() * 4, "d");
    Launch launch;
    launch.block = {32, 1, 1};
    launch.parameter(memory.upload(a, "a")).parameter(memory.upload(b, "b"));
    launch.parameter(memory.upload(c, "c")).parameter(out);
    run(parse(module_header() + kernel), "fragments", launch, memory);
    return memory.download<uint32_t>(out, c.size());
  }
};

TEST(Matrix, EightDeepProduct) {
  Fragments fragments(2, 1, 4, 0x40000000);  // c is 2
  // Row 9 of a (lane 4, second register), k = 0, becomes 5: row 9 of d is 2 + 7 + 5.
  fragments.a[4 * 2 + 1] = 0x3c004500;
  const auto found = fragments.by("m16n8k8.row.col.f32.f16.f16.f32");
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < 4; ++i) {
      const uint64_t wanted = lane / 4 == 1 && i >= 2 ? f(14) : f(10);
      EXPECT_EQ(found[lane * 4 + i], wanted) << lane << ", " << i;
    }
  }
}

TEST(Matrix, SumsInF16) {
  Fragments fragments(4, 2, 2, 0x40004000);
  // k = 15, column 6 of b (lane 27, second register, upper half) becomes -1: column 6 is 2 + 14.
  fragments.b[27 * 2 + 1] = 0xbc003c00;
  const auto found = fragments.by("m16n8k16.row.col.f16.f16.f16.f16");
  for (size_t lane = 0; lane < 32; ++lane) {
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(found[lane * 2 + i], lane % 4 == 3 ? 0x4c804c00u : 0x4c804c80u) << lane;
    }
  }
}

}  // namespace
}  // namespace gatefold::ptx
