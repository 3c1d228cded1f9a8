#include <gtest/gtest.h>

#include <algorithm>

#include "generator/mlir/expression.h"
#include "tests/cuda/assembled.h"
#include "tests/mlir/blocks.h"
#include "tests/support/paths.h"

namespace gatefold::test {
namespace {

/// sm_86 (and sm_89) run what is made for sm_80.
const std::vector<std::pair<int, std::vector<std::string>>> kChips = {{80, {"sm_80", "sm_86"}},
                                                                      {90, {"sm_90"}}};

class Ptxas : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    if (ptxas().empty()) GTEST_SKIP() << "there is no ptxas here";
  }

  void expect_accepted(const std::string& ptx, const std::string& chip, size_t kernels,
                       const std::string& what) {
    const Assembled a = assembled(ptx, chip);
    ASSERT_TRUE(a.accepted) << what << " " << chip << ": " << a.messages;
    EXPECT_EQ(a.functions.size(), kernels) << what << " " << chip << ": " << a.messages;
    EXPECT_EQ(spilled_bytes(a), 0) << what << " " << chip << ": " << a.messages;
  }

  static int64_t spilled_bytes(const Assembled& a) {
    int64_t bytes = 0;
    for (const EntryResources& f : a.functions) bytes += f.spill_bytes + f.stack_bytes;
    return bytes;
  }

  /// By the default point of each bucket, with all that a block may add.
  void expect_blocks_accepted(DType dtype) {
    for (const auto& [capability, chips] : kChips) {
      for (const int64_t rows : kTunedRows) {
        KernelSpec spec = tensor_core_spec(GetParam().name, dtype, rows);
        spec.ffn.bias = spec.ffn.residual = true;
        const TensorCoreKernel kernel = default_kernel(spec, capability);
        const std::string ptx = tensor_core_ptx(kernel);
        for (const std::string& chip : chips) {
          expect_accepted(ptx, chip, size_t(kernel.sum ? 3 : 2), kernel.point.text());
        }
      }
    }
  }
};

TEST_P(Ptxas, TakesBf16Blocks) { expect_blocks_accepted(DType::bf16); }

TEST_P(Ptxas, TakesF16Blocks) { expect_blocks_accepted(DType::f16); }

TEST_P(Ptxas, TakesTheActivationAlone) {
  const int arguments = GetParam().gated ? 2 : 1;
  const ScalarProgram program = hidden_program(GetParam());
  expect_accepted(elementwise_ptx(program, arguments, 80, "act"), "sm_80", 1, "act");
}

INSTANTIATE_TEST_SUITE_P(Variants, Ptxas, testing::ValuesIn(all_variants()),
                         [](const auto& info) { return info.param.name; });

using PtxasOutput = Ptxas;

/// Sums of more than 255 registers: a count of spills that is always zero would not see them.
TEST_P(PtxasOutput, CountsSpills) {
  KernelSpec spec = tensor_core_spec("swiglu", DType::bf16);
  TensorCoreKernel kernel = tensor_core_kernel(spec, {}, 80, "block");
  kernel.point = {
      .bm = 128, .bn = 128, .bk = 32, .stages = 2, .warps_m = 2, .warps_n = 2, .split_k = 1};
  ASSERT_TRUE(why_illegal(spec, kernel.point, 80));
  const Assembled a = assembled(tensor_core_ptx(kernel), "sm_80");
  ASSERT_TRUE(a.accepted) << a.messages;
  EXPECT_GT(spilled_bytes(a), 0) << a.messages;
}

/// Those of the legal points that come nearest to the limit of registers, by their estimate.
TEST_P(PtxasOutput, LegalPointsDoNotSpill) {
  KernelSpec spec = tensor_core_spec(GetParam().name, DType::bf16);
  spec.ffn.bias = spec.ffn.residual = true;
  std::vector<TensorCorePoint> points = legal_tensor_core_points(spec, 80);
  const auto spare = [&](const TensorCorePoint& p) {
    const GemmTile tile = hidden_tile(spec, p);
    return std::min(255, 65536 / tile.threads()) - estimated_registers(tile);
  };
  std::erase_if(points, [](const auto& p) { return p.split_k != 1 || p.stages != 2; });
  std::stable_sort(points.begin(), points.end(),
                   [&](const auto& a, const auto& b) { return spare(a) < spare(b); });
  ASSERT_GT(points.size(), 12u);
  points.resize(12);
  for (const TensorCorePoint& point : points) {
    const TensorCoreKernel kernel = tensor_core_kernel(spec, point, 80, "block");
    expect_accepted(tensor_core_ptx(kernel), "sm_80", 2, point.text());
  }
}

INSTANTIATE_TEST_SUITE_P(Of, PtxasOutput, testing::Values(variant_named("swiglu")),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace gatefold::test
