#include "spec/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "spec/error.h"
#include "spec/ffn_spec.h"

namespace gatefold {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Parse>
std::string usage_error(Parse parse) {
  try {
    parse();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

TEST(Rows, AscendingListsAreRead) {
  EXPECT_THAT(parse_rows("1,4,16"), ElementsAre(1, 4, 16));
  EXPECT_THAT(parse_rows("7"), ElementsAre(7));
  EXPECT_THAT(parse_rows("0,4", "--rows", 0), ElementsAre(0, 4));
}

class BadRows : public testing::TestWithParam<const char*> {};

TEST_P(BadRows, IsAUsageErrorThatNamesTheFlag) {
  const std::string message = usage_error([] { parse_rows(GetParam()); });
  EXPECT_THAT(message, testing::StartsWith("--rows: "));
  EXPECT_THAT(message, HasSubstr("wanted strictly ascending numbers"));
}

INSTANTIATE_TEST_SUITE_P(Lists, BadRows,
                         testing::Values("", ",", "0", "-1", "4,1", "1,1", "1,x", "x", "1,,4",
                                         "1,4,", "1 4", "1.5", "0x10", "99999999999999999999",
                                         "1048577"));

TEST(RowBuckets, CoverAllRowCountsOnce) {
  const auto buckets = row_buckets({1, 4, 16, 64});
  ASSERT_EQ(buckets.size(), 4u);
  int64_t next = 1;
  for (const RowBucket& b : buckets) {
    EXPECT_EQ(b.rows_min, next);
    EXPECT_LE(b.rows_min, b.rows_max);
    next = b.rows_max == RowBucket::kOpen ? 0 : b.rows_max + 1;
  }
  EXPECT_EQ(buckets[1].rows_min, 2);
  EXPECT_EQ(buckets[1].rows_max, 4);
  EXPECT_EQ(buckets[3].rows_min, 17);
  EXPECT_EQ(buckets[3].rows_max, RowBucket::kOpen);
  EXPECT_EQ(buckets[3].tuned_rows, 64);
}

TEST(RowBuckets, ASingleBucketTakesEverything) {
  const auto buckets = row_buckets({8});
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_EQ(buckets[0].rows_min, 1);
  EXPECT_EQ(buckets[0].rows_max, RowBucket::kOpen);
}

TEST(Dimension, NumbersAndAny) {
  EXPECT_EQ(parse_dimension("4096", "--d-model"), 4096);
  EXPECT_EQ(parse_dimension("1", "--d-ff"), 1);
  EXPECT_EQ(parse_dimension("1048576", "--d-ff"), kMaxDimension);
  EXPECT_EQ(parse_dimension("any", "--d-ff"), Shape::kAny);
}

TEST(Dimension, OutOfRangeNamesFlagValueAndRange) {
  EXPECT_THAT(usage_error([] { parse_dimension("0", "--d-model"); }),
              HasSubstr("--d-model: 0, wanted"));
  EXPECT_THAT(usage_error([] { parse_dimension("-5", "--d-ff"); }),
              HasSubstr("--d-ff: -5, wanted"));
  EXPECT_THAT(usage_error([] { parse_dimension("1099511627776", "--d-model"); }),
              HasSubstr("1099511627776, wanted 'any' or a number from 1 to 1048576"));
  EXPECT_THAT(usage_error([] { parse_dimension("12k", "--d-model"); }), HasSubstr("'12k'"));
  EXPECT_THAT(usage_error([] { parse_dimension("", "--d-model"); }), HasSubstr("''"));
}

TEST(ShapeText, NamesFixedAndOpenSizes) {
  EXPECT_EQ((Shape{4096, 11008}.text()), "4096x11008");
  EXPECT_EQ((Shape{Shape::kAny, 37}.text()), "anyx37");
  EXPECT_FALSE((Shape{Shape::kAny, 37}.fixed()));
}

KernelSpec kernel(bool bias, RowBucket rows) {
  KernelSpec k;
  k.ffn = {
      .variant = variant_named("swiglu"), .dtype = DType::bf16, .shape = {64, 160}, .bias = bias};
  k.target = Target::x86_avx512_bf16;
  k.rows = rows;
  return k;
}

TEST(KernelName, SaysWhatTheKernelIs) {
  EXPECT_EQ(kernel_name(kernel(false, {.rows_min = 5, .rows_max = 16})),
            "ffn_swiglu_bf16_64x160_avx512_bf16_rows_5_16");
  EXPECT_EQ(kernel_name(kernel(true, {.rows_min = 17})),
            "ffn_swiglu_bf16_64x160_bias_avx512_bf16_rows_17_up");
  KernelSpec both = kernel(true, {.rows_min = 1, .rows_max = 1}), adding = both;
  both.ffn.residual = adding.ffn.residual = true;
  adding.ffn.bias = false;
  EXPECT_EQ(kernel_name(both), "ffn_swiglu_bf16_64x160_bias_residual_avx512_bf16_rows_1_1");
  EXPECT_EQ(kernel_name(adding), "ffn_swiglu_bf16_64x160_residual_avx512_bf16_rows_1_1");
  EXPECT_EQ(additions(both.ffn), " with biases and a residual");
  EXPECT_EQ(additions(adding.ffn), " with a residual");
}

TEST(KernelName, IsAnIdentifierAndDiffersWithinALibrary) {
  std::set<std::string> names;
  for (const TargetInfo& target : all_targets()) {
    for (const RowBucket& rows : row_buckets({1, 4, 16})) {
      KernelSpec k = kernel(false, rows);
      k.target = target.target;
      k.ffn.shape = {};
      const std::string name = kernel_name(k);
      EXPECT_TRUE(std::regex_match(name, std::regex("[a-z_][a-z0-9_]*"))) << name;
      EXPECT_TRUE(names.insert(name).second) << name;
    }
  }
}

}  // namespace
}  // namespace gatefold
