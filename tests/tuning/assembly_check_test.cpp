#include "tuning/assembly_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tests/tuning/fake_candidate.h"
#include "tuning/builder.h"
#include "tuning/cost_constants.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

TEST(HotLoopFinder, FindsTheLoopThatJumpsToItself) {
  const std::vector<Loop> loops = innermost_loops(
      "kernel:                # @kernel\n\tpushq\t%rbp\n\tmovq\t%rsp, %rbp\n.LBB0_1:\n"
      "\txorl\t%eax, %eax\n\tjmp\t.LBB0_2\n.LBB0_2:   # %body\n\tvmovups\t-64(%rbp), %zmm1\n"
      "\tvmovups\t64(%rsp), %zmm2\n\tvfmadd231ps\t(%rax){1to16}, %zmm1, %zmm3\n"
      "\tvdpbf16ps\t%zmm1, %zmm2, %zmm4\n\tvmovups\t%zmm1, (%rax,%rdx)\n"
      "\tvgatherdps\t(%rax,%ymm2), %ymm1 {%k1}\n\tcmpq\t%rcx, (%rax)\n\tjne\t.LBB0_2\n\tretq\n",
      Arch::x86_64);
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

TEST(HotLoopFinder, AnArrayOnTheStackIsNoSpill) {
  const std::vector<Loop> loops = innermost_loops(
      "kernel:\n.LBB0_1:\n\tvbroadcastss\t32(%rsp,%r8), %ymm2\n"
      "\tvmovups\t64(%rsp), %ymm3\n\tvfmadd231ps\t%ymm2, %ymm3, %ymm4\n\tjne\t.LBB0_1\n",
      Arch::x86_64);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].stack_references().size(), 2u);
  EXPECT_THAT(loops[0].spills(), testing::ElementsAre("vmovups\t64(%rsp), %ymm3"));
}

TEST(HotLoopFinder, AnotherFunctionsFrameDoesNotCount) {
  const std::vector<Loop> loops = innermost_loops(
      "first:\n\tmovq\t%rsp, %rbp\n\tretq\nsecond:\n\tleaq\t8(%rdi), %rbp\n.LBB1_1:\n"
      "\tvmulps\t(%rbp), %ymm1, %ymm1\n\tjne\t.LBB1_1\n",
      Arch::x86_64);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_THAT(loops.front().stack_references(), testing::IsEmpty());
}

/// A loop of `multiply_adds` accumulators that also holds `others`.
std::string kernel_with(int multiply_adds, const std::string& others = "") {
  std::string text = "kernel:\n\tmovq\t%rsp, %rbp\n.LBB0_1:\n" + others;
  for (int i = 0; i < multiply_adds; ++i)
    text += "\tvfmadd231ps\t(%rax), %ymm15, %ymm" + std::to_string(i) + "\n";
  return text + "\tdecq\t%rcx\n\tjne\t.LBB0_1\n\tretq\n";
}

KernelSpec kernel_of(int mr, int64_t rows) {
  KernelSpec kernel;
  kernel.ffn = {variant_named("swiglu"), DType::f32, {4096, 11008}, false};
  kernel.rows = {rows, rows, rows};
  kernel.packing = legal_packings(kernel.ffn, kernel.target).front();
  kernel.point.mr = mr;
  return kernel;
}

std::string reason(const KernelSpec& kernel, const std::string& assembly) {
  return why_refused(kernel, assembly).value_or("(accepted)");
}

TEST(AssemblyCheck, RefusesSpillsWithTheirNumber) {
  const KernelSpec kernel = kernel_of(6, 64);
  EXPECT_EQ(reason(kernel, kernel_with(12)), "(accepted)");
  EXPECT_EQ(reason(kernel, kernel_with(12, "\tvmovups\t32(%rsp), %ymm0\n")),
            "hot loop spills: 1 stack reference: vmovups\t32(%rsp), %ymm0");
  EXPECT_THAT(reason(kernel, kernel_with(12,
                                         "\tvmovups\t%ymm1, -64(%rbp)\n"
                                         "\tvmovups\t-64(%rbp), %ymm2\n")),
              HasSubstr("hot loop spills: 2 stack references"));
}

TEST(AssemblyCheck, RefusesGathers) {
  EXPECT_THAT(
      reason(kernel_of(6, 64), kernel_with(12, "\tvgatherdps\t%ymm1, (%rax,%ymm2), %ymm3\n")),
      HasSubstr("hot loop gathers: 1 gather: vgatherdps"));
}

TEST(AssemblyCheck, RefusesFewAccumulatorsWhereTheRowsWouldFillMore) {
  EXPECT_EQ(reason(kernel_of(2, 64), kernel_with(4)),
            "hot loop has 4 accumulators, wanted 8: mr=6 fits");
  EXPECT_EQ(reason(kernel_of(4, 64), kernel_with(8)), "(accepted)");
  EXPECT_EQ(reason(kernel_of(2, 4), kernel_with(4)), "(accepted)") << "the memory decides";
  KernelSpec widened = kernel_of(1, 64);
  widened.ffn.dtype = DType::bf16;
  widened.packing = legal_packings(widened.ffn, widened.target).front();
  widened.point.streams = 4;
  EXPECT_EQ(reason(widened, kernel_with(4)), "(accepted)") << "no taller tile fits";
}

TEST(AssemblyCheck, MorePipesWantMoreAccumulators) {
  EXPECT_EQ(accumulators_wanted(cost_constants(Target::x86_avx2)), 8);
  EXPECT_EQ(accumulators_wanted(cost_constants(Target::arm64_neon, "cortex-a76")), 8);
  EXPECT_EQ(accumulators_wanted(cost_constants(Target::arm64_neon, "neoverse-n1")), 8);
  EXPECT_EQ(accumulators_wanted(cost_constants(Target::arm64_neon, "neoverse-v2")), 16);
  EXPECT_EQ(accumulators_wanted(cost_constants(Target::arm64_neon, "apple-m1")), 16);
  EXPECT_EQ(accumulators_wanted(cost_constants(Target::arm64_neon, "not known")), 8);
}

TEST(AssemblyCheck, LooksAtHotLoopsOnly) {
  const std::string spills = "copy:\n.LBB1_1:\n\tvmovups\t(%rsp), %ymm0\n\tjne\t.LBB1_1\n";
  EXPECT_EQ(reason(kernel_of(6, 64), spills + kernel_with(12)), "(accepted)");
  EXPECT_EQ(reason(kernel_of(6, 64), ""), "(accepted)") << "nothing is known";
}

TEST(Disassembly, IsLabelledWhereItJumpsTo) {
  const std::string text = labelled(
      "\nk.so:     file format elf64-x86-64\n\n\nDisassembly of section .text:\n\n"
      "0000000000000040 <kernel>:\n  40:\tmov    %rsp,%rbp\n"
      "  43:\tvmovups -0x40(%rbp),%ymm1\n  48:\tvfmadd231ps (%rax,%rdx,4),%ymm1,%ymm2\n"
      "  4e:\tjne    43 <kernel+0x3>\n  50:\tjmp    *%rax\n",
      Arch::x86_64);
  const std::vector<Loop> loops = hot_loops(text, Arch::x86_64);
  ASSERT_EQ(loops.size(), 1u) << text;
  EXPECT_EQ(loops[0].instructions.size(), 3u) << text;
  EXPECT_THAT(loops[0].accumulators(), testing::ElementsAre("%ymm2"));
  EXPECT_EQ(loops[0].stack_references().size(), 1u);
}

/// Builds the fake block with one behaviour as a candidate.
BuiltCandidate built_with(const std::vector<std::string>& behaviour) {
  BuilderOptions options;
  options.emitter = "unused";
  options.build = [&](const LibraryPlan& plan, const LibraryOptions& library) {
    Fake wanted = fake(behaviour);
    wanted.kernel = plan.kernels.at(0).spec;
    std::filesystem::create_directories(library.directory);
    return build_fake(wanted, library.directory / "libcandidate.so");
  };
  Builder builder(options);
  return builder.build({fake().kernel}).at(0);
}

TEST(Builder, RefusesACandidateWhoseHotLoopSpills) {
  const BuiltCandidate spilled = built_with({"SPILL"});
  EXPECT_EQ(spilled.kind, TrialKind::invalid);
  EXPECT_THAT(spilled.message, HasSubstr("hot loop spills: 2 stack references: vmovups"));
  const BuiltCandidate usual = built_with({});
  EXPECT_EQ(usual.kind, TrialKind::ok) << usual.message;
}

}  // namespace
}  // namespace gatefold::test
