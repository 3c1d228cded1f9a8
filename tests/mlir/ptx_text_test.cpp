#include <gtest/gtest.h>

#include <regex>

#include "generator/mlir/lowering.h"
#include "spec/error.h"
#include "tests/mlir/blocks.h"

namespace gatefold::test {
namespace {

bool holds(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

TEST(PtxText, IsOfTheChipAndTheLowestVersionThatHasIt) {
  const KernelSpec spec = tensor_core_spec("swiglu", DType::bf16);
  const std::string sm80 = tensor_core_ptx(default_kernel(spec, 80));
  EXPECT_TRUE(holds(sm80, "\\.version 7\\.0\n")) << sm80.substr(0, 200);
  EXPECT_TRUE(holds(sm80, "\\.target sm_80\n"));
  const std::string sm90 = tensor_core_ptx(default_kernel(spec, 90));
  EXPECT_TRUE(holds(sm90, "\\.version 7\\.8\n")) << sm90.substr(0, 200);
  EXPECT_TRUE(holds(sm90, "\\.target sm_90\n"));
}

TEST(PtxText, IsTheSameEachTime) {
  const TensorCoreKernel kernel = default_kernel(tensor_core_spec("geglu", DType::f16, 16), 80);
  EXPECT_EQ(tensor_core_ptx(kernel), tensor_core_ptx(kernel));
}

TEST(PtxText, HasAnEntryForEachLaunch) {
  const TensorCoreKernel few = default_kernel(tensor_core_spec("relu", DType::bf16, 16), 80);
  ASSERT_TRUE(few.sum);
  const std::string ptx = tensor_core_ptx(few);
  for (const char* entry : {"block_hidden", "block_down", "block_sum"}) {
    EXPECT_TRUE(holds(ptx, std::string("\\.visible \\.entry ") + entry + "\\(")) << entry;
  }
  const TensorCoreKernel many = default_kernel(tensor_core_spec("relu", DType::bf16, 256), 80);
  EXPECT_FALSE(many.sum);
  EXPECT_FALSE(holds(tensor_core_ptx(many), "block_sum"));
}

TEST(PtxText, MultipliesByTheTypeOfTheBlock) {
  const auto ptx = [](DType dtype) {
    return tensor_core_ptx(default_kernel(tensor_core_spec("swiglu", dtype), 80));
  };
  EXPECT_TRUE(holds(ptx(DType::bf16), "mma\\.sync\\.aligned\\.m16n8k16\\.row\\.col\\.f32\\.bf16"));
  EXPECT_TRUE(holds(ptx(DType::f16), "mma\\.sync\\.aligned\\.m16n8k16\\.row\\.col\\.f32\\.f16"));
}

void expect_refused(const std::string& ptx, const std::string& why) {
  try {
    check_ptx(ptx);
    ADD_FAILURE() << ptx << " was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
  }
}

TEST(PtxText, CallsAndWhatMayBeFusedAreFound) {
  expect_refused(".version 7.0\n.extern .func (.param .b32 r) __nv_expf\n", "line 2");
  expect_refused("\tcall.uni (retval0), \n", "is a function's");
  expect_refused("\t@%p1 call f;\n", "is a function's");
  expect_refused("\tadd.f32 \t%f1, %f2, %f3;\n", "has no rounding");
  expect_refused("\t@%p1 mul.f32 \t%f1, %f2, %f3;\n", "has no rounding");
  EXPECT_NO_THROW(check_ptx("\tadd.rn.f32 %f1, %f2, %f3;\n\tadd.s32 %r1, %r2, 1;\n"));
}

TEST(PtxText, AWrongPointIsRefusedByName) {
  const KernelSpec spec = tensor_core_spec("swiglu", DType::bf16);
  try {
    tensor_core_kernel(spec, {.bm = 24}, 80, "block");
    ADD_FAILURE() << "bm 24 was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(std::string(error.what()), "tensor cores: bm is 24, wanted 16, 32, 64, 128 or 256");
  }
}

}  // namespace
}  // namespace gatefold::test
