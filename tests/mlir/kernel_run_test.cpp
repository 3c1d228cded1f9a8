#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "tests/mlir/blocks.h"
#include "tests/mlir/interpreted_block.h"

namespace gatefold::test {
namespace {

constexpr uint64_t kSeed = 7;

struct Case {
  KernelSpec spec;
  int64_t rows = 1;
  int capability = 80;
};

Case case_of(const std::string& variant, DType dtype, Shape shape, int64_t rows,
             bool additions = true) {
  Case c{tensor_core_spec(variant, dtype, rows), rows};
  c.spec.ffn.shape = shape;
  c.spec.ffn.bias = c.spec.ffn.residual = additions;
  return c;
}

/// The default point, but with few rows split over d_ff, which a short one is not by default.
TensorCoreKernel kernel_of(const Case& c) {
  TensorCorePoint point = default_tensor_core_point(c.spec);
  if (c.rows <= 16) point.split_k = 3;
  return tensor_core_kernel(c.spec, point, c.capability, "block");
}

void expect_right(const Case& c, Rows rows = {}) {
  rows.count = c.rows;
  const TensorCoreKernel kernel = kernel_of(c);
  const FfnData data(c.spec.ffn, kSeed, 1);
  InterpretedBlock block(kernel, tensor_core_ptx(kernel), data);
  const Computed got = block.run(rows);
  EXPECT_LE(error_of(data, got.y, c.rows), allowed_error(c.spec.ffn.dtype))
      << c.spec.ffn.variant.name << " " << c.spec.ffn.shape.text() << " rows " << c.rows << " "
      << kernel.point.text();
  EXPECT_TRUE(got.gaps_untouched);
  for (size_t i = 0; i < got.hidden.size(); ++i) {
    if (int64_t(i) % got.hidden_columns >= c.spec.ffn.shape.d_ff) {
      ASSERT_EQ(std::bit_cast<uint32_t>(got.hidden[i]), 0u) << i;
    }
  }
}

class TensorCoreVariant : public testing::TestWithParam<Variant> {};

/// By the default point of each bucket, where rows, d_model and d_ff all have tails.
TEST_P(TensorCoreVariant, IsNearTheReferenceInBothTypes) {
  for (const DType dtype : kHalfTypes) {
    for (const int64_t rows : {9, 33, 130}) {
      expect_right(case_of(GetParam().name, dtype, {100, 85}, rows));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Variants, TensorCoreVariant, testing::ValuesIn(all_variants()),
                         [](const auto& info) { return info.param.name; });

class TensorCoreRows : public testing::TestWithParam<int64_t> {};

TEST_P(TensorCoreRows, TailsOfAllSizes) {
  for (const int64_t d_model : {37, 85, 100, 128}) {
    for (const int64_t d_ff : {37, 64, 341}) {
      const bool even = d_model % 2 == 0;
      expect_right(even ? case_of("swiglu", DType::f16, {d_model, d_ff}, GetParam(), d_ff == 64)
                        : case_of("gelu", DType::bf16, {d_model, d_ff}, GetParam()));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tails, TensorCoreRows, testing::Values(1, 17, 65, 129));

TEST(TensorCoreRun, CodeOfANewerChip) {
  Case c = case_of("geglu", DType::bf16, {100, 85}, 65);
  c.capability = 90;
  expect_right(c);
}

TEST(TensorCoreRun, YMayLieAnywhereAndBeTheResidual) {
  for (const int64_t rows : {3, 65}) {
    for (const int64_t d_model : {96, 101}) {
      const Case c = case_of("swiglu", DType::bf16, {d_model, 40}, rows);
      for (const int64_t gap : {0, 8, 3}) {
        expect_right(c, {.y_gap = gap});
        expect_right(c, {.y_gap = gap, .in_place = true});
      }
    }
  }
}

/// One output alone is no average over many: twice the error of larger ones.
TEST(TensorCoreRun, TheSmallestBlocks) {
  for (const Shape& shape : {Shape{1, 1}, Shape{1, 40}, Shape{40, 1}}) {
    const Case c = case_of("swiglu", DType::bf16, shape, 2);
    const TensorCoreKernel kernel = kernel_of(c);
    const FfnData data(c.spec.ffn, kSeed, 1);
    InterpretedBlock block(kernel, tensor_core_ptx(kernel), data);
    EXPECT_LE(error_of(data, block.run({.count = 2}).y, 2), 8e-3) << shape.text();
  }
}

TEST(TensorCoreRun, NarrowPanelsAndGroupsOfThem) {
  Case c = case_of("swiglu", DType::bf16, {100, 85}, 17);
  c.spec.packing.panel = 32;
  expect_right(c);
  c.spec.packing.group = 4;
  expect_right(c);
}

/// Points other than the default: uneven stages, k steps that end beyond k, all ways to lay warps.
TEST(TensorCoreRun, OtherPoints) {
  for (const char* point : {"bm=32 bn=32 bk=32 stages=2 warps_m=2 warps_n=1 split_k=1",
                            "bm=16 bn=32 bk=64 stages=3 warps_m=1 warps_n=2 split_k=3",
                            "bm=32 bn=128 bk=64 stages=3 warps_m=1 warps_n=4 split_k=1",
                            "bm=64 bn=64 bk=32 stages=8 warps_m=4 warps_n=2 split_k=7"}) {
    const Case c = case_of("swiglu", DType::bf16, {100, 133}, 35);
    const TensorCoreKernel kernel =
        tensor_core_kernel(c.spec, parse_tensor_core_point(point), 80, "block");
    const FfnData data(c.spec.ffn, kSeed, 1);
    InterpretedBlock block(kernel, tensor_core_ptx(kernel), data);
    EXPECT_LE(error_of(data, block.run({.count = c.rows}).y, c.rows), 4e-3) << point;
  }
}

TEST(TensorCoreRun, ARowsBitsDependOnNothingElse) {
  const Case c = case_of("swiglu", DType::bf16, {100, 341}, 16);
  const TensorCoreKernel kernel = kernel_of(c);
  ASSERT_TRUE(kernel.sum);
  const FfnData data(c.spec.ffn, kSeed, 1);
  InterpretedBlock block(kernel, tensor_core_ptx(kernel), data);
  const std::vector<float> many = block.run({.count = 37}).y, one = block.run({.count = 1}).y;
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(one[i]), std::bit_cast<uint32_t>(many[i])) << i;
  }
}

/// An infinite x beside the zeros of padded columns gives NaN there, which must not get on.
TEST(TensorCoreRun, WhatIsNotFiniteStaysInItsRow) {
  for (const int64_t rows : {5, 70}) {
    const Case c = case_of("swiglu", DType::bf16, {37, 41}, rows);
    const TensorCoreKernel kernel = kernel_of(c);
    const FfnData data(c.spec.ffn, kSeed, 1);
    InterpretedBlock block(kernel, tensor_core_ptx(kernel), data);
    Rows given{.count = rows, .x = data.x(0, rows)};
    given.x[2 * 37 + 36] = std::numeric_limits<float>::infinity();
    given.x[4 * 37] = std::nanf("");
    const Computed got = block.run(given), plain = block.run({.count = rows});
    for (size_t i = 0; i < got.y.size(); ++i) {
      const size_t row = i / 37;
      if (row == 2 || row == 4) {
        EXPECT_FALSE(std::isfinite(got.y[i])) << i;
      } else {
        EXPECT_EQ(got.y[i], plain.y[i]) << i;
      }
    }
    for (size_t i = 0; i < got.hidden.size(); ++i) {
      if (int64_t(i) % got.hidden_columns >= 41) {
        EXPECT_EQ(got.hidden[i], 0) << i;
      }
    }
  }
}

}  // namespace
}  // namespace gatefold::test
