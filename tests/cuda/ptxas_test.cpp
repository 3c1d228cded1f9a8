// What CUDA's assembler makes of the PTX: it accepts all of it, and all sums stay in registers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/cuda/assembled.h"
#include "tests/support/paths.h"

namespace gatefold::test {
namespace {

constexpr const char* kChips[] = {"sm_80", "sm_86", "sm_90"};
constexpr Shape kShapes[] = {{4096, 11008}, {512, 1365}, {}};

void expect_in_registers(const KernelSpec& kernel, const std::string& ptx, const char* chip) {
  SCOPED_TRACE(kernel_name(kernel) + " on " + chip + ": " + kernel.point.text());
  const Assembled found = assembled(ptx, chip);
  ASSERT_TRUE(found.accepted) << found.messages;
  ASSERT_FALSE(found.functions.empty()) << found.messages;
  for (const EntryResources& function : found.functions) {
    EXPECT_EQ(function.spill_bytes, 0) << function.name;
    EXPECT_EQ(function.stack_bytes, 0) << function.name;
  }
}

class Ptxas : public testing::TestWithParam<std::tuple<Variant, DTypeInfo>> {
 protected:
  void SetUp() override {
    if (ptxas().empty()) GTEST_SKIP() << "no ptxas: not on the PATH, no toolkit, none fetched";
  }
};

/// Each variant and dtype by the default point of one row, of few or of many, with sizes and what
/// is added to the block, in turn: only the epilogue of one of the kernels differs between
/// variants.
TEST_P(Ptxas, AcceptsTheDefaultPointsWithoutSpills) {
  const auto& [variant, dtype] = GetParam();
  const std::vector<Variant>& all = all_variants();
  const auto same = [&](const Variant& v) { return v.name == variant.name; };
  const size_t number = size_t(std::find_if(all.begin(), all.end(), same) - all.begin());
  const size_t turn = number + size_t(dtype.dtype);
  constexpr int64_t kRows[] = {1, 8, 256, 3};
  FfnSpec ffn{.variant = variant, .dtype = dtype.dtype, .shape = kShapes[turn % 3]};
  ffn.bias = turn % 2 == 1;
  ffn.residual = turn % 5 > 2;
  // PTX for 8.6 is none for 8.0: the lower target is what every chip must take.
  const KernelSpec kernel = cuda_kernel(ffn, Target::cuda_sm80, kRows[turn % 4]);
  const std::string ptx = ptx_of(kernel);
  for (const char* chip : kChips) expect_in_registers(kernel, ptx, chip);
}

std::string case_name(const testing::TestParamInfo<Ptxas::ParamType>& info) {
  return std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
}

INSTANTIATE_TEST_SUITE_P(All, Ptxas,
                         testing::Combine(testing::ValuesIn(all_variants()),
                                          testing::ValuesIn(all_dtypes())),
                         case_name);

}  // namespace
}  // namespace gatefold::test
