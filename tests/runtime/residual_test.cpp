// gf_ffn_run_residual: where the residual may lie, and what is refused.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "runtime/pages.h"
#include "tests/runtime/block.h"

namespace gatefold::test {
namespace {

using Bytes = std::vector<uint8_t>;

FakeOptions with_residual(gf_dtype dtype = GF_F32) {
  FakeOptions o;
  o.residual = true;
  o.dtype = dtype;
  if (dtype == GF_BF16) o.word_code = 4, o.word_bits = 16;
  return o;
}

/// y of dense rows, the residual beside it.
Bytes run(const Block& block, Ffn& ffn, const Values& x, const Values& residual, int64_t rows) {
  const FakeOptions& o = block.fake.options;
  Bytes y(x.stored.size(), 0xee);
  ffn.run_residual(rows_of(const_cast<void*>(x.data()), o.dtype, rows, o.d_model),
                   rows_of(const_cast<void*>(residual.data()), o.dtype, rows, o.d_model),
                   rows_of(y.data(), o.dtype, rows, o.d_model));
  return y;
}

TEST(RunResidual, AddsItToTheBlocksOutput) {
  for (gf_dtype dtype : {GF_F32, GF_BF16}) {
    FakeOptions o = with_residual(dtype);
    o.bias = true;
    const Block block(o);
    Ffn ffn = block.make(2);
    for (int64_t rows : {1, 6}) {
      const Values x = block.input(rows), residual = block.input(rows, 8);
      const Bytes y = run(block, ffn, x, residual, rows);
      const Comparison c =
          compare(widened(y, dtype), block.expected(x, rows, &residual), block.limits());
      EXPECT_TRUE(acceptable(c, block.limits(), o.d_model, o.d_ff)) << c.worst;
    }
    EXPECT_EQ(ffn.report().rows, 6) << "counted like other calls";
  }
}

TEST(RunResidual, TakesPlainPointers) {
  const Block block(with_residual()), halves(with_residual(GF_BF16));
  Ffn ffn = block.make(), half = halves.make();
  const Values x = block.input(2), r = block.input(2, 8);
  std::vector<float> y(x.f32.size());
  ffn.run_residual(x.f32.data(), r.f32.data(), y.data(), 2);
  EXPECT_EQ(std::memcmp(y.data(), run(block, ffn, x, r, 2).data(), y.size() * 4), 0);
  const Values x16 = halves.input(2), r16 = halves.input(2, 8);
  std::vector<uint16_t> y16(x16.f32.size());
  half.run_residual(reinterpret_cast<const uint16_t*>(x16.data()),
                    reinterpret_cast<const uint16_t*>(r16.data()), y16.data(), 2);
  EXPECT_EQ(std::memcmp(y16.data(), run(halves, half, x16, r16, 2).data(), y16.size() * 2), 0);
}

TEST(RunResidual, MayBeYOrX) {
  const Block block(with_residual());
  Ffn ffn = block.make(2);
  const Values x = block.input(5), residual = block.input(5, 8);
  Values y = residual;
  ffn.run_residual(x.f32.data(), y.f32.data(), y.f32.data(), 5);
  EXPECT_EQ(std::memcmp(y.f32.data(), run(block, ffn, x, residual, 5).data(), y.stored.size()), 0);
  ffn.run_residual(x.f32.data(), x.f32.data(), y.f32.data(), 5);
  EXPECT_EQ(std::memcmp(y.f32.data(), run(block, ffn, x, x, 5).data(), y.stored.size()), 0);
}

TEST(RunResidual, StridesAreItsOwn) {
  const Block block(with_residual());
  Ffn ffn = block.make();
  const int64_t rows = 3, wide = 50;
  const Values x = block.input(rows), residual = block.input(rows, 8);
  const Bytes wanted = run(block, ffn, x, residual, rows);
  std::vector<float> apart(static_cast<size_t>(rows * wide), 9.0f), y(x.f32.size());
  for (int64_t r = 0; r < rows; ++r) std::memcpy(&apart[r * wide], &residual.f32[r * 37], 37 * 4);
  const gf_rows in = rows_of(const_cast<void*>(x.data()), GF_F32, rows, 37);
  const gf_rows strided = rows_of(apart.data(), GF_F32, rows, 37, wide);
  ffn.run_residual(in, strided, rows_of(y.data(), GF_F32, rows, 37));
  EXPECT_EQ(std::memcmp(y.data(), wanted.data(), wanted.size()), 0);
  ffn.run_residual(in, strided, strided);
  for (int64_t r = 0; r < rows; ++r) {
    EXPECT_EQ(std::memcmp(&apart[r * wide], &wanted[r * 37 * 4], 37 * 4), 0) << r;
    EXPECT_EQ(apart[r * wide + 37], 9.0f);
  }
}

TEST(RunResidual, ZeroRowsAreFineWithoutMemory) {
  Block block(with_residual());
  Ffn ffn = block.make();
  const gf_rows none = rows_of(nullptr, GF_F32, 0, 37);
  ffn.run_residual(none, none, none);
  EXPECT_EQ(block.fake.calls, 0);
}

TEST(RunResidual, LongCallsGoInPieces) {
  FakeOptions o = with_residual();
  o.d_model = 2;
  o.d_ff = 1;
  Block block(o);
  Ffn ffn = block.make();
  // The residual's stride alone leaves four rows to a piece.
  const int64_t stride = int64_t{1} << 26, rows = 9;
  const Pages memory(static_cast<size_t>((rows - 1) * stride + 2) * sizeof(float));
  auto* wide = static_cast<float*>(memory.data());
  const Values x = block.input(rows), residual = block.input(rows, 8);
  const Bytes wanted = run(block, ffn, x, residual, rows);
  for (int64_t r = 0; r < rows; ++r) std::memcpy(wide + r * stride, &residual.f32[r * 2], 8);
  block.fake.calls = 0;
  std::vector<float> y(static_cast<size_t>(rows * 2));
  ffn.run_residual(rows_of(const_cast<void*>(x.data()), GF_F32, rows, 2),
                   rows_of(wide, GF_F32, rows, 2, stride), rows_of(y.data(), GF_F32, rows, 2));
  EXPECT_EQ(std::memcmp(y.data(), wanted.data(), wanted.size()), 0);
  EXPECT_EQ(block.fake.calls, 3);
}

TEST(RunResidual, IsForTheBlocksThatAddOne) {
  const Block without({}), with(with_residual());
  Ffn plain = without.make(), adding = with.make();
  std::vector<float> memory(300);
  const gf_rows x = rows_of(memory.data(), GF_F32, 1, 37);
  const gf_rows r = rows_of(memory.data() + 100, GF_F32, 1, 37);
  const gf_rows y = rows_of(memory.data() + 200, GF_F32, 1, 37);
  EXPECT_STATUS(gf_ffn_run_residual(plain.get(), &x, &r, &y), GF_INVALID_ARGUMENT);
  EXPECT_NE(std::string(gf_last_error()).find("wanted gf_ffn_run"), std::string::npos);
  EXPECT_STATUS(gf_ffn_run(adding.get(), &x, &y), GF_INVALID_ARGUMENT);
  EXPECT_NE(std::string(gf_last_error()).find("wanted gf_ffn_run_residual"), std::string::npos);
  EXPECT_EQ(without.fake.calls + with.fake.calls, 0);
}

class BadResidual : public testing::Test {
 protected:
  BadResidual() : block(with_residual()), ffn(block.make()), memory(4096, 5.0f), before(memory) {
    x = rows_of(memory.data(), GF_F32, 2, 37);
    residual = rows_of(memory.data() + 1000, GF_F32, 2, 37);
    y = rows_of(memory.data() + 2000, GF_F32, 2, 37);
  }
  void expect(gf_status wanted) {
    EXPECT_STATUS(gf_ffn_run_residual(ffn.get(), &x, &residual, &y), wanted);
    EXPECT_NE(std::string(gf_last_error()).find("residual"), std::string::npos) << gf_last_error();
    EXPECT_EQ(memory, before) << "y is untouched";
    EXPECT_EQ(block.fake.calls, 0);
  }
  Block block;
  Ffn ffn;
  std::vector<float> memory, before;
  gf_rows x, residual, y;
};

TEST_F(BadResidual, NullPointers) {
  EXPECT_EQ(gf_ffn_run_residual(nullptr, &x, &residual, &y), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_ffn_run_residual(ffn.get(), nullptr, &residual, &y), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_ffn_run_residual(ffn.get(), &x, nullptr, &y), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_ffn_run_residual(ffn.get(), &x, &residual, nullptr), GF_INVALID_ARGUMENT);
  residual.data = nullptr;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadResidual, StructSize) {
  residual.struct_size = 3;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadResidual, Rows) {
  residual.rows = 1;
  expect(GF_SHAPE_MISMATCH);
}
TEST_F(BadResidual, Columns) {
  residual.cols = 36;
  expect(GF_SHAPE_MISMATCH);
}
TEST_F(BadResidual, Dtype) {
  residual.dtype = GF_BF16;
  expect(GF_DTYPE_MISMATCH);
}
TEST_F(BadResidual, ShortStride) {
  residual.row_stride = 36;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadResidual, SplitElement) {
  residual.data = reinterpret_cast<uint8_t*>(memory.data()) + 4001;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadResidual, OneElementIntoY) {
  residual.data = memory.data() + 2000 - 2 * 37 + 1;
  expect(GF_OVERLAP);
}
TEST_F(BadResidual, YShiftedByOne) {
  residual.data = memory.data() + 2001;
  expect(GF_OVERLAP);
}
TEST_F(BadResidual, YWithAnotherStride) {
  residual.data = y.data;
  residual.row_stride = 40;
  expect(GF_OVERLAP);
}

TEST_F(BadResidual, OfOneRowTheStrideMeansNothing) {
  x.rows = residual.rows = y.rows = 1;
  residual.data = y.data;
  residual.row_stride = 40;
  EXPECT_STATUS(gf_ffn_run_residual(ffn.get(), &x, &residual, &y), GF_OK);
}

}  // namespace
}  // namespace gatefold::test
