#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include "runtime/fp_environment.h"
#include "runtime/pages.h"
#include "runtime/workspace.h"
#include "tests/runtime/block.h"
#include "tests/runtime/odd_fp_word.h"

namespace gatefold::test {
namespace {

/// Layouts that generated kernels use: f32; bf16 widened; bf16 pairs as u32 words; two streams.
std::vector<FakeOptions> layouts() {
  FakeOptions f32;
  FakeOptions two = f32;
  two.steps = 2;
  FakeOptions steps = f32;
  steps.packing = {8, 1, 4, 3};
  steps.steps = 3;
  FakeOptions bf16 = f32;
  bf16.dtype = GF_BF16;
  bf16.word_code = 4;
  bf16.word_bits = 16;
  FakeOptions pairs = bf16;
  pairs.packing = {16, 2, 8, 2};
  pairs.steps = 2;
  pairs.word_code = 1;
  pairs.word_bits = 32;
  FakeOptions pair_elements = bf16;
  pair_elements.packing = {16, 2, 1, 1};
  pair_elements.word_k = 2;
  return {f32, two, steps, bf16, pairs, pair_elements};
}

TEST(Run, AllVariantsLayoutsAndOddShapes) {
  const std::pair<int64_t, int64_t> shapes[] = {{1, 37}, {37, 1}, {85, 34}};
  for (const Variant& variant : all_variants()) {
    for (FakeOptions o : layouts()) {
      for (const auto& [d_model, d_ff] : shapes) {
        o.variant = variant.name.c_str();
        o.d_model = d_model;
        o.d_ff = d_ff;
        o.bias = (d_model + d_ff) % 2 == 0;
        const Block block(o);
        Ffn ffn = block.make(2);
        const Comparison c = block.run_and_compare(ffn, 3);
        EXPECT_TRUE(acceptable(c, block.limits(), d_model, d_ff))
            << variant.name << " " << d_model << "x" << d_ff << " rel " << c.rel_l2 << " scaled "
            << c.scaled << " worst " << c.worst;
      }
    }
  }
}

TEST(Run, BiasesAreAddedOnceEach) {
  for (const char* variant : {"swiglu", "gelu"}) {
    const Block block({.variant = variant, .bias = true});
    Ffn ffn = block.make();
    EXPECT_LE(block.run_and_compare(ffn, 6).worst, 1) << variant;
  }
}

TEST(Run, AnyShapeLibrary) {
  const Block block({.d_model = 19, .d_ff = 40, .any = true});
  Ffn ffn = block.make();
  EXPECT_LE(block.run_and_compare(ffn, 2).worst, 1);
  EXPECT_STREQ(ffn.report().match, "any");
}

TEST(Run, ZeroRowsAreFineWithoutMemory) {
  Block block({});
  Ffn ffn = block.make();
  ffn.run(rows_of(nullptr, GF_F32, 0, 37), rows_of(nullptr, GF_F32, 0, 37));
  EXPECT_EQ(block.fake.calls, 0);
}

TEST(Run, StridedRowsLeaveThePaddingAlone) {
  for (gf_dtype dtype : {GF_F32, GF_BF16}) {
    FakeOptions o;
    o.dtype = dtype;
    o.word_bits = dtype == GF_F32 ? 32 : 16;
    const Block block(o);
    Ffn ffn = block.make(2);
    const int64_t size = block.element_bytes(), rows = 6;
    const Values x = block.input(rows);
    const std::vector<uint8_t> dense = block.run(ffn, x, rows);
    std::vector<uint8_t> wide_x(static_cast<size_t>(rows * 42 * size)),
        wide_y(static_cast<size_t>(rows * 40 * size), 0xee);
    for (int64_t r = 0; r < rows; ++r)
      std::memcpy(wide_x.data() + r * 42 * size, x.stored.data() + r * 37 * size,
                  static_cast<size_t>(37 * size));
    ffn.run(rows_of(wide_x.data(), dtype, rows, 37, 42),
            rows_of(wide_y.data(), dtype, rows, 37, 40));
    for (int64_t r = 0; r < rows; ++r) {
      EXPECT_EQ(std::memcmp(wide_y.data() + r * 40 * size, dense.data() + r * 37 * size,
                            static_cast<size_t>(37 * size)),
                0);
      for (int64_t i = 37 * size; i < 40 * size; ++i)
        ASSERT_EQ(wide_y[static_cast<size_t>(r * 40 * size + i)], 0xee);
    }
  }
}

TEST(Run, AnyElementAlignment) {
  const Block block({.d_model = 19});
  Ffn ffn = block.make();
  const Values x = block.input(2);
  const std::vector<uint8_t> wanted = block.run(ffn, x, 2);
  alignas(64) uint8_t in[512], out[512];
  for (size_t shift : {0, 4, 8, 12, 20, 60}) {
    std::memcpy(in + shift, x.data(), x.stored.size());
    ffn.run(rows_of(in + shift, GF_F32, 2, 19), rows_of(out + shift, GF_F32, 2, 19));
    EXPECT_EQ(std::memcmp(out + shift, wanted.data(), wanted.size()), 0) << shift;
  }
}

class BadCall : public testing::Test {
 protected:
  BadCall() : block({}), ffn(block.make()), memory(4096, 5.0f), before(memory) {
    x = rows_of(memory.data(), GF_F32, 2, 37);
    y = rows_of(memory.data() + 2000, GF_F32, 2, 37);
  }
  void expect(gf_status wanted) {
    EXPECT_STATUS(gf_ffn_run(ffn.get(), &x, &y), wanted);
    EXPECT_EQ(memory, before) << "y is untouched";
    EXPECT_EQ(block.fake.calls, 0);
  }
  Block block;
  Ffn ffn;
  std::vector<float> memory, before;
  gf_rows x, y;
};

TEST_F(BadCall, NullPointers) {
  EXPECT_EQ(gf_ffn_run(nullptr, &x, &y), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_ffn_run(ffn.get(), nullptr, &y), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_ffn_run(ffn.get(), &x, nullptr), GF_INVALID_ARGUMENT);
  x.data = nullptr;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadCall, NoOutput) {
  y.data = nullptr;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadCall, StructSize) {
  y.struct_size = 3;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadCall, NegativeRows) {
  x.rows = y.rows = -1;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadCall, DifferentRows) {
  y.rows = 3;
  expect(GF_SHAPE_MISMATCH);
}
TEST_F(BadCall, Columns) {
  x.cols = 36;
  expect(GF_SHAPE_MISMATCH);
}
TEST_F(BadCall, OutputColumns) {
  y.cols = 38;
  expect(GF_SHAPE_MISMATCH);
}
TEST_F(BadCall, Dtype) {
  x.dtype = GF_BF16;
  expect(GF_DTYPE_MISMATCH);
}
TEST_F(BadCall, OutputDtype) {
  y.dtype = GF_F16;
  expect(GF_DTYPE_MISMATCH);
}
TEST_F(BadCall, ShortStride) {
  y.row_stride = 36;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadCall, NegativeStride) {
  x.row_stride = -37;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadCall, EndlessStride) {
  x.row_stride = INT64_MAX / 2;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadCall, SplitElement) {
  x.data = reinterpret_cast<uint8_t*>(memory.data()) + 2;
  expect(GF_INVALID_ARGUMENT);
}
TEST_F(BadCall, SameMemory) {
  y.data = x.data;
  expect(GF_OVERLAP);
}
TEST_F(BadCall, LastElementShared) {
  y.data = memory.data() + 2 * 37 - 1;
  expect(GF_OVERLAP);
}
TEST_F(BadCall, OutputBeforeInput) {
  y.data = memory.data();
  x.data = memory.data() + 2 * 37 - 1;
  expect(GF_OVERLAP);
}
TEST_F(BadCall, InterleavedRowsThatTouch) {
  x.row_stride = y.row_stride = 80;
  y.data = memory.data() + 36;
  expect(GF_OVERLAP);
  y.data = memory.data() + 44;  // its first row runs into x's second
  expect(GF_OVERLAP);
}

TEST(Run, NeighboursThatDoNotTouchAreFine) {
  const Block block({});
  Ffn ffn = block.make();
  const Values x = block.input(2);
  const std::vector<uint8_t> wanted = block.run(ffn, x, 2);
  std::vector<float> memory(1000);
  std::memcpy(memory.data(), x.data(), x.stored.size());
  ffn.run(rows_of(memory.data(), GF_F32, 2, 37), rows_of(memory.data() + 74, GF_F32, 2, 37));
  EXPECT_EQ(std::memcmp(memory.data() + 74, wanted.data(), wanted.size()), 0);
  // x and y as the two halves of one matrix
  std::memcpy(memory.data(), x.data(), 37 * 4);
  std::memcpy(memory.data() + 74, x.f32.data() + 37, 37 * 4);
  ffn.run(rows_of(memory.data(), GF_F32, 2, 37, 74),
          rows_of(memory.data() + 37, GF_F32, 2, 37, 74));
  EXPECT_EQ(std::memcmp(memory.data() + 37, wanted.data(), 37 * 4), 0);
  EXPECT_EQ(std::memcmp(memory.data() + 111, wanted.data() + 37 * 4, 37 * 4), 0);
}

TEST(Run, RowsOfDifferentStridesMayInterleave) {
  const Block block({.d_model = 3, .d_ff = 2});
  Ffn ffn = block.make();
  const Values x = block.input(4);
  const std::vector<uint8_t> wanted = block.run(ffn, x, 4);
  std::vector<float> memory(64);
  for (int r = 0; r < 4; ++r) std::memcpy(&memory[6 * r], &x.f32[3 * r], 12);
  const gf_rows in = rows_of(memory.data(), GF_F32, 4, 3, 6);
  const auto status = [&](int64_t at) {  // y's rows at `at`, and 12 elements on each
    const gf_rows out = rows_of(memory.data() + at, GF_F32, 4, 3, 12);
    return gf_ffn_run(ffn.get(), &in, &out);
  };
  ASSERT_EQ(status(3), GF_OK);
  for (int r = 0; r < 4; ++r)
    EXPECT_EQ(std::memcmp(&memory[12 * r + 3], wanted.data() + 12 * r, 12), 0) << r;
  for (int64_t touching : {0, 1, 2, 4, 5, 8, 13, 20}) EXPECT_EQ(status(touching), GF_OVERLAP);
  EXPECT_EQ(status(21), GF_OK) << "behind x's last row";
}

TEST(Run, KernelFailuresCarryTheirMessage) {
  Block block({});
  Ffn ffn = block.make();
  block.fake.before_call = [&](void* context) {
    hooks_of(context).error(context, "the first message");
    hooks_of(context).error(context, "a later one");
    return -17;
  };
  float x[37] = {}, y[37];
  const gf_rows in = rows_of(x, GF_F32, 1, 37), out = rows_of(y, GF_F32, 1, 37);
  EXPECT_EQ(gf_ffn_run(ffn.get(), &in, &out), GF_KERNEL_FAILED);
  const std::string message = gf_last_error();
  EXPECT_NE(message.find("the first message"), std::string::npos) << message;
  EXPECT_NE(message.find("-17"), std::string::npos) << message;
  EXPECT_NE(message.find("fake_kernel"), std::string::npos) << message;
  block.fake.before_call = nullptr;
  EXPECT_LE(block.run_and_compare(ffn, 1).worst, 1) << "usable afterwards";
}

TEST(Run, WorkspaceThatDoesNotExistIsOutOfMemory) {
  Block block({});
  Ffn ffn = block.make();
  block.fake.before_call = [&](void* context) {
    return hooks_of(context).allocate(context, size_t{1} << 50) ? 0 : -11;
  };
  float x[37] = {}, y[37];
  const gf_rows in = rows_of(x, GF_F32, 1, 37), out = rows_of(y, GF_F32, 1, 37);
  EXPECT_EQ(gf_ffn_run(ffn.get(), &in, &out), GF_OUT_OF_MEMORY);
}

TEST(Run, LeavesTheFloatingPointEnvironment) {
  Block block({});
  Ffn ffn = block.make(2);
  const FpWord before = read_fp_word();
  const Values x = block.input(8);
  const std::vector<uint8_t> wanted = block.run(ffn, x, 8);
  write_fp_word(kOddFpWord);
  const std::vector<uint8_t> y = block.run(ffn, x, 8);
  const FpWord after = read_fp_word();
  write_fp_word(before);
  EXPECT_EQ(after, kOddFpWord);
  EXPECT_EQ(y, wanted) << "results do not depend on the caller's settings";
  EXPECT_FALSE(block.fake.odd_fp_word);
}

TEST(Run, SameBitsForAnyThreadsAndPosition) {
  const Block block({});
  Ffn one = block.make(1), four = block.make(4);
  Values x = block.input(40);
  std::vector<uint8_t> all = block.run(one, x, 40);
  EXPECT_EQ(block.run(four, x, 40), all);
  for (int i = 0; i < 3; ++i) {  // every row moves, and its outputs with it
    std::rotate(x.stored.begin(), x.stored.begin() + 13 * 37 * 4, x.stored.end());
    std::rotate(all.begin(), all.begin() + 13 * 37 * 4, all.end());
    EXPECT_EQ(block.run(four, x, 40), all);
  }
}

TEST(Run, LongCallsGoInPieces) {
  Block block({.d_model = 2, .d_ff = 1});
  Ffn ffn = block.make();
  // A stride of 2^26 floats leaves four rows to a piece; pages that are not touched cost nothing.
  const int64_t stride = int64_t{1} << 26, rows = 9;
  const Pages memory(static_cast<size_t>((rows - 1) * stride + 2) * sizeof(float));
  auto* wide = static_cast<float*>(memory.data());
  const Values x = block.input(rows);
  const std::vector<uint8_t> wanted = block.run(ffn, x, rows);
  block.fake.calls = 0;
  block.fake.most_rows = 0;
  for (int64_t r = 0; r < rows; ++r) std::memcpy(wide + r * stride, x.f32.data() + r * 2, 8);
  std::vector<float> y(static_cast<size_t>(rows * 2));
  ffn.run(rows_of(wide, GF_F32, rows, 2, stride), rows_of(y.data(), GF_F32, rows, 2));
  EXPECT_EQ(std::memcmp(y.data(), wanted.data(), wanted.size()), 0);
  EXPECT_EQ(block.fake.calls, 3);
  EXPECT_EQ(block.fake.most_rows, 3);
}

TEST(Report, TellsWhatRan) {
  Block block({.rows = {1, 8}});
  gf_kernel& large = block.fake.kernels[1];
  large.name = "large";
  large.origin = "tuned";
  large.runner_up = "fusion=gated";
  large.margin_pct = 3.5;
  large.median_ms = 0.25;
  Ffn ffn = block.make(3);
  gf_report r = ffn.report();
  EXPECT_EQ(r.calls, 0);
  EXPECT_TRUE(std::isnan(r.first_call_ms));
  block.run_and_compare(ffn, 9);
  block.run_and_compare(ffn, 12);
  r = ffn.report();
  EXPECT_STREQ(r.kernel, "large");
  EXPECT_STREQ(r.isa, kLowestTarget);
  EXPECT_STREQ(r.origin, "tuned");
  EXPECT_STREQ(r.point, "fusion=fake");
  EXPECT_STREQ(r.match, "exact");
  EXPECT_STREQ(r.runner_up, "fusion=gated");
  EXPECT_EQ(r.margin_pct, 3.5);
  EXPECT_EQ(r.tuned_median_ms, 0.25);
  EXPECT_TRUE(std::isnan(r.efficiency));
  EXPECT_EQ(r.threads, 3);
  EXPECT_EQ(r.calls, 2);
  EXPECT_EQ(r.rows, 12);
  EXPECT_GT(r.first_call_ms, 0);
  EXPECT_GT(r.last_call_ms, 0);
  EXPECT_GT(r.workspace_bytes, 0);
  // a header; gate and up: 2 panels of 37 x 16, down: 4 panels (of 3) of 21 x 16
  EXPECT_EQ(r.packed_weight_bytes, 512 + (2 * 2 * 37 * 16 + 4 * 21 * 16) * 4);
  block.run_and_compare(ffn, 1);
  EXPECT_STREQ(ffn.report().kernel, "fake_kernel");
}

TEST(Report, BadArguments) {
  Block block({});
  Ffn ffn = block.make();
  gf_report r = {};
  EXPECT_EQ(gf_ffn_report(ffn.get(), &r), GF_INVALID_ARGUMENT) << "struct_size 0";
  EXPECT_EQ(gf_ffn_report(nullptr, &r), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_ffn_report(ffn.get(), nullptr), GF_INVALID_ARGUMENT);
}

TEST(Status, NamesAndVersion) {
  EXPECT_STREQ(gf_status_name(GF_OK), "GF_OK");
  EXPECT_STREQ(gf_status_name(GF_KERNEL_FAILED), "GF_KERNEL_FAILED");
  EXPECT_STREQ(gf_status_name(static_cast<gf_status>(99)), "unknown status");
  EXPECT_STREQ(gf_version(), "0.1.0");
  std::thread([] { EXPECT_STREQ(gf_last_error(), ""); }).join();
}

}  // namespace
}  // namespace gatefold::test
