#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tests/generator/assembly.h"

namespace gatefold::test {
namespace {

struct Case {
  Target target;
  DType dtype;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << info(c.target).name << " " << info(c.dtype).name;
}

class HotLoop : public testing::TestWithParam<Case> {};

constexpr RowBucket kOne = {1, 1, 1}, kFew = {5, 16, 16}, kMany = {65, 256, 256},
                    kOpen = {17, RowBucket::kOpen, 64};

struct Block {
  const char* variant;
  Shape shape;
  bool bias;
  RowBucket rows;
};

const std::vector<Block>& blocks() {
  static const std::vector<Block> all = {{"swiglu", {4096, 11008}, false, kOne},
                                         {"swiglu", {4096, 11008}, false, kFew},
                                         {"swiglu", {4096, 11008}, false, kMany},
                                         {"swiglu", {512, 1365}, true, kFew},
                                         {"gelu", {384, 1536}, true, kFew},
                                         {"relu", {512, 2048}, false, kOpen},
                                         {"geglu", {}, true, kOne},
                                         {"geglu", {}, true, kOpen}};
  return all;
}

std::string describe(const KernelSpec& k) {
  return kernel_name(k) + " | " + k.packing.text() + " | " + k.point.text();
}

int vectors(const KernelSpec& k) {
  return k.point.streams * k.packing.panel / info(k.target).vector_lanes;
}

/// One loop of a kernel that multiplies as its target and point say.
void check(const KernelSpec& kernel, const Loop& loop) {
  const bool dot = uses_bf16_dot(kernel.ffn, kernel.target);
  EXPECT_EQ(loop.bf16_dots() > 0, dot);
  EXPECT_EQ(loop.multiply_adds() > 0, !dot);
  EXPECT_THAT(loop.stack_references(), testing::IsEmpty()) << loop.text();
  EXPECT_THAT(loop.gathers(), testing::IsEmpty()) << loop.text();
  EXPECT_THAT(loop.stores(), testing::IsEmpty()) << loop.text();
  const auto accumulators = static_cast<int>(loop.accumulators().size());
  // More where the halves of widened pairs are summed apart.
  EXPECT_GE(accumulators, kernel.point.mr * vectors(kernel)) << loop.text();
  if (kernel.rows.tuned_rows >= 8) {
    EXPECT_GE(accumulators, 8) << "fewer than two units times four cycles keep waiting";
  }
}

TEST_P(HotLoop, StaysInRegisters) {
  const auto [target, dtype] = GetParam();
  for (const Block& block : blocks()) {
    const KernelSpec kernel = default_kernel(
        {variant_named(block.variant), dtype, block.shape, block.bias}, target, block.rows);
    SCOPED_TRACE(describe(kernel));
    const std::vector<Loop> loops = hot_loops(assembly_of(kernel));
    EXPECT_GE(loops.size(), 2u) << "one for each projection";
    for (const Loop& loop : loops) check(kernel, loop);
  }
}

/// The largest row tile that the space lets the tuner try.
int tallest(KernelSpec kernel) {
  kernel.point.mr = 1;
  while (!why_illegal(kernel)) ++kernel.point.mr;
  return kernel.point.mr - 1;
}

TEST_P(HotLoop, TallestLegalTileStaysInRegisters) {
  const auto [target, dtype] = GetParam();
  const FfnSpec ffn{variant_named("swiglu"), dtype, {4096, 11008}, false};
  for (const Packing& packing : legal_packings(ffn, target)) {
    for (int streams = 2; streams <= packing.group; streams *= 2) {
      KernelSpec kernel = default_kernel(ffn, target, kMany);
      kernel.packing = packing;
      kernel.point.streams = streams;
      kernel.point.kb = 0;
      kernel.point.mr = tallest(kernel);
      if (kernel.point.mr == 0) continue;  // so many streams do not fit at all
      SCOPED_TRACE(describe(kernel));
      for (const Loop& loop : hot_loops(assembly_of(kernel))) check(kernel, loop);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, HotLoop,
    testing::Values(Case{Target::x86_avx2, DType::f32}, Case{Target::x86_avx2, DType::bf16},
                    Case{Target::x86_avx2, DType::f16}, Case{Target::x86_avx512, DType::f32},
                    Case{Target::x86_avx512, DType::bf16}, Case{Target::x86_avx512, DType::f16},
                    Case{Target::x86_avx512_bf16, DType::f32},
                    Case{Target::x86_avx512_bf16, DType::bf16}));

TEST(HotLoopFinder, FindsTheLoopThatJumpsToItself) {
  const std::vector<Loop> loops = innermost_loops(
      "kernel:                # @kernel\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n.LBB0_1:\n"
      "\txorl\t%eax, %eax\n\tjmp\t.LBB0_2\n.LBB0_2:   # %body\n\tvmovups\t-64(%rbp), %zmm1\n"
      "\tvmovups\t64(%rsp), %zmm2\n\tvfmadd231ps\t(%rax){1to16}, %zmm1, %zmm3\n"
      "\tvdpbf16ps\t%zmm1, %zmm2, %zmm4\n\tvmovups\t%zmm1, (%rax,%rdx)\n"
      "\tvgatherdps\t(%rax,%ymm2), %ymm1 {%k1}\n\tcmpq\t%rcx, (%rax)\n\tjne\t.LBB0_2\n\tretq\n");
  ASSERT_EQ(loops.size(), 1u);
  const Loop& loop = loops.front();
  EXPECT_EQ(loop.label, ".LBB0_2");
  EXPECT_EQ(loop.instructions.size(), 8u);
  EXPECT_EQ(loop.multiply_adds(), 1);
  EXPECT_EQ(loop.bf16_dots(), 1);
  EXPECT_THAT(loop.accumulators(), testing::ElementsAre("%zmm3", "%zmm4"));
  EXPECT_EQ(loop.stack_references().size(), 2u);
  EXPECT_EQ(loop.gathers().size(), 1u);
  EXPECT_THAT(loop.stores(), testing::ElementsAre("vmovups\t%zmm1, (%rax,%rdx)"));
}

TEST(HotLoopFinder, AnotherFunctionsFrameDoesNotCount) {
  const std::vector<Loop> loops = innermost_loops(
      "first:\n\tmovq\t%rsp, %rbp\n\tretq\nsecond:\n\tleaq\t8(%rdi), %rbp\n.LBB1_1:\n"
      "\tvmulps\t(%rbp), %ymm1, %ymm1\n\tjne\t.LBB1_1\n");
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_THAT(loops.front().stack_references(), testing::IsEmpty());
}

}  // namespace
}  // namespace gatefold::test
