#include <gtest/gtest.h>

#include <cstring>

#include "gatefold/gatefold.hpp"
#include "tests/runtime/block.h"

extern "C" int c_consumer_runs(const gf_kernel_table* table, int64_t d, int64_t f, const float* up,
                               const float* down, const float* x, float* y);

namespace gatefold::test {
namespace {

TEST(Consumers, PlainC11) {
  const Block block({.variant = "relu"});
  const Values x = block.input(1);
  std::vector<float> y(37);
  ASSERT_EQ(c_consumer_runs(&block.fake.table, 37, 21, block.matrices[1].f32.data(),
                            block.matrices[2].f32.data(), x.f32.data(), y.data()),
            0);
  EXPECT_LE(compare(y, block.expected(x, 1), block.limits()).worst, 1);
}

TEST(Consumers, CppHeaderThrowsTheStatus) {
  const Block block({});
  gf_ffn_weights w = block.weights();
  w.down.data = nullptr;
  try {
    Ffn ffn(block.library, 37, 21, w);
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.status(), GF_INVALID_ARGUMENT);
    EXPECT_STREQ(error.what(), "GF_INVALID_ARGUMENT: down: missing");
  }
}

TEST(Consumers, CppHeaderMovesOwnership) {
  const Block block({});
  Library library = block.link();
  Library moved = std::move(library);
  EXPECT_EQ(library.get(), nullptr);
  Ffn a(moved, 37, 21, block.weights(), options(2));
  Ffn b = std::move(a);
  EXPECT_EQ(b.report().threads, 2);
  EXPECT_LE(block.run_and_compare(b, 4).worst, 1);
}

TEST(Consumers, CppHeaderTakesFloatsWithAndWithoutTheirType) {
  float values[6] = {};
  const gf_tensor vector = tensor(values, GF_F32, 6), matrix = tensor(values, GF_F32, 2, 3);
  EXPECT_EQ(vector.rows, 6);
  EXPECT_EQ(vector.cols, 1);
  EXPECT_EQ(matrix.cols, 3);
  EXPECT_EQ(tensor(values, 2, 3).rows, 2);
}

TEST(Consumers, CppHeaderRunsBf16) {
  const Block block({.dtype = GF_BF16, .word_bits = 16});
  Ffn ffn = block.make();
  const Values x = block.input(2);
  std::vector<uint16_t> in(2 * 37), out(2 * 37);
  std::memcpy(in.data(), x.data(), x.stored.size());
  ffn.run(in.data(), out.data(), 2);
  EXPECT_EQ(std::memcmp(out.data(), block.run(ffn, x, 2).data(), 2 * 37 * 2), 0);
}

}  // namespace
}  // namespace gatefold::test
