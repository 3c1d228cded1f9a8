#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tuning/assembly_check.h"

namespace gatefold::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// The only loop of a function that begins with `before`.
Loop loop_of(const std::string& body, const std::string& before = "") {
  const std::vector<Loop> loops = innermost_loops(
      "kernel:                                 // @kernel\n" + before + ".LBB0_1:\n" + body +
          "\tsubs\tx9, x9, #1                      // =1\n\tb.ne\t.LBB0_1\n\tret\n",
      Arch::arm64);
  EXPECT_EQ(loops.size(), 1u) << body;
  return loops.empty() ? Loop{} : loops.front();
}

TEST(NeonHotLoopFinder, FindsTheLoopThatJumpsToItself) {
  const std::vector<Loop> loops = innermost_loops(
      "kernel:                                 // @kernel\n\t.cfi_startproc\n"
      "\tcbz\tx0, .LBB0_3\n.LBB0_1:                                // %outer\n\tmov\tx9, x2\n"
      ".LBB0_2:                                // %body\n\t.p2align\t5, , 16\n"
      "\tldp\tq16, q17, [x0], #32\n\tldr\ts18, [x1, x9, lsl #2]\n"
      "\tfmla\tv0.4s, v16.4s, v18.s[0]\n\tfmls\tv1.4s, v17.4s, v3.4s\n"
      "\tbfdot\tv2.4s, v16.8h, v17.8h\n\tfmadd\ts4, s5, s6, s7\n\tstr\tq1, [x3, #16]\n"
      "\tprfm\tpldl1keep, [x0, #2048]\n\tsubs\tx9, x9, #1\n\tb.ne\t.LBB0_2\n"
      "\tcbnz\tx8, .LBB0_1\n.LBB0_3:\n\tret\n",
      Arch::arm64);
  ASSERT_EQ(loops.size(), 1u);
  const Loop& loop = loops.front();
  EXPECT_EQ(loop.label, ".LBB0_2");
  EXPECT_EQ(loop.instructions.size(), 10u) << loop.text();
  EXPECT_EQ(loop.multiply_adds(), 2) << "a scalar one computes no row of a tile";
  EXPECT_EQ(loop.bf16_dots(), 1);
  EXPECT_THAT(loop.accumulators(), ElementsAre("v0", "v1", "v2"));
  EXPECT_THAT(loop.stores(), ElementsAre("str\tq1, [x3, #16]"));
  EXPECT_THAT(loop.stack_references(), IsEmpty());
  EXPECT_THAT(loop.gathers(), IsEmpty());
}

TEST(NeonHotLoopFinder, KnowsEveryBackwardBranch) {
  for (const std::string branch : {"b.ne\t", "b.lt\t", "b\t", "cbnz\tx9, ", "cbz\tw9, ",
                                   "tbnz\tw8, #0, ", "tbz\tx8, #63, ", "b.any\t"}) {
    const std::vector<Loop> loops =
        innermost_loops("kernel:\n.LBB0_1:\n\tnop\n\t" + branch + ".LBB0_1\n", Arch::arm64);
    EXPECT_EQ(loops.size(), branch == "b.any\t" ? 0u : 1u) << branch;
  }
  EXPECT_THAT(innermost_loops("kernel:\n.LBB0_1:\n\tbl\t.LBB0_1\n", Arch::arm64), IsEmpty())
      << "a call";
}

TEST(NeonHotLoopFinder, SeesSpillsByTheStackPointer) {
  const Loop loop = loop_of(
      "\tldr\tq0, [sp]\n\tldp\tq1, q2, [sp, #32]\n\tstp\tq3, q4, [sp, #-64]!\n"
      "\tldr\td5, [sp, #0x1f0]\n\tstr\tx8, [sp, #8]\n\tldr\ts6, [sp, x8, lsl #2]\n"
      "\tldr\tq7, [x0, #16]\n");
  EXPECT_EQ(loop.stack_references().size(), 6u) << loop.text();
  EXPECT_THAT(loop.spills(),
              ElementsAre("ldr\tq0, [sp]", "ldp\tq1, q2, [sp, #32]", "stp\tq3, q4, [sp, #-64]!",
                          "ldr\td5, [sp, #0x1f0]", "str\tx8, [sp, #8]"))
      << "an array on the stack is no spill";
}

TEST(NeonHotLoopFinder, SeesSpillsByTheFramePointerWhereItIsOne) {
  const std::string body = "\tldur\tq0, [x29, #-32]\n\tldr\tq1, [x29], #16\n";
  EXPECT_EQ(loop_of(body, "\tmov\tx29, sp\n").spills().size(), 2u);
  EXPECT_EQ(loop_of(body, "\tadd\tx29, sp, #96\n").spills().size(), 2u);
  EXPECT_THAT(loop_of(body, "\tadd\tx29, x0, #96\n").spills(), IsEmpty()) << "a register like any";
  EXPECT_THAT(loop_of(body, "\tmov\tx29, sp\n\tret\nother:\n").spills(), IsEmpty())
      << "another function's frame";
}

TEST(NeonHotLoopFinder, SeesLanesAndTables) {
  const Loop gathering = loop_of(
      "\tins\tv0.s[1], v1.s[0]\n\tmov\tv0.s[2], v2.s[0]\n\tmov\tv0.h[3], w8\n"
      "\tld1\t{ v0.s }[1], [x0]\n\tld1\t{v0.s}[3], [x0], #4\n\tst1\t{v0.s}[1], [x1]\n"
      "\ttbl\tv0.16b, {v1.16b}, v2.16b\n\tmov\tw9, v0.s[1]\n\tmov\ts9, v0.s[1]\n"
      "\tumov\tw9, v0.h[1]\n");
  EXPECT_EQ(gathering.gathers().size(), 10u);
  const Loop whole = loop_of(
      "\tld1r\t{v0.4s}, [x0]\n\tld1\t{v0.4s, v1.4s}, [x0]\n\tld2\t{v0.4s, v1.4s}, [x0]\n"
      "\tmov\tv0.16b, v1.16b\n\tdup\tv0.4s, v1.s[0]\n\tfmla\tv2.4s, v3.4s, v4.s[3]\n"
      "\tmov\tx9, x8\n\tzip1\tv0.8h, v1.8h, v2.8h\n\tshll\tv0.4s, v1.4h, #16\n");
  EXPECT_THAT(whole.gathers(), IsEmpty());
}

TEST(NeonHotLoopFinder, CountsHalfPrecisionAsWell) {
  const Loop loop = loop_of("\tfmla\tv0.8h, v1.8h, v2.h[7]\n\tfmlal\tv3.4s, v4.4h, v5.4h\n");
  EXPECT_EQ(loop.multiply_adds(), 2);
  EXPECT_THAT(loop.accumulators(), ElementsAre("v0", "v3"));
}

KernelSpec kernel_of(int mr, int64_t rows) {
  KernelSpec kernel;
  kernel.ffn = {variant_named("swiglu"), DType::f32, {4096, 11008}, false};
  kernel.target = Target::arm64_neon;
  kernel.rows = {rows, rows, rows};
  kernel.packing = legal_packings(kernel.ffn, kernel.target).front();
  kernel.point.mr = mr;
  return kernel;
}

std::string reason(const KernelSpec& kernel, const std::string& body) {
  const std::string text = "kernel:\n.LBB0_1:\n" + body + "\tcbnz\tx9, .LBB0_1\n\tret\n";
  return why_refused(kernel, text).value_or("(accepted)");
}

std::string multiply_adds(int number) {
  std::string text;
  for (int i = 0; i < number; ++i)
    text += "\tfmla\tv" + std::to_string(i) + ".4s, v30.4s, v31.s[0]\n";
  return text;
}

TEST(NeonAssemblyCheck, RefusesSpillsGathersAndFewAccumulators) {
  const KernelSpec kernel = kernel_of(6, 64);
  EXPECT_EQ(reason(kernel, multiply_adds(24)), "(accepted)");
  EXPECT_EQ(reason(kernel, multiply_adds(24) + "\tldr\tq30, [sp, #16]\n"),
            "hot loop spills: 1 stack reference: ldr\tq30, [sp, #16]");
  EXPECT_EQ(reason(kernel, multiply_adds(24) + "\tmov\tv30.s[1], v29.s[0]\n"),
            "hot loop gathers: 1 gather: mov\tv30.s[1], v29.s[0]");
  EXPECT_THAT(reason(kernel_of(1, 64), multiply_adds(4)),
              HasSubstr("hot loop has 4 accumulators, wanted 8: mr="));
}

TEST(NeonAssemblyCheck, RefusesALoopOfPrefetchesInTheHotLoop) {
  const std::string inner =
      ".LBB0_2:\n\tprfm\tpldl1strm, [x1, x2]\n\tadd\tx2, x2, #128\n\tcmp\tx2, #256\n"
      "\tb.ne\t.LBB0_2\n";
  const KernelSpec kernel = kernel_of(6, 64);
  EXPECT_EQ(reason(kernel, inner + multiply_adds(24)),
            "hot loop has a loop of prefetches in it: prfm\tpldl1strm, [x1, x2]");
  EXPECT_EQ(reason(kernel, "\tprfm\tpldl1strm, [x1, x2]\n" + multiply_adds(24)), "(accepted)");
}

TEST(NeonAssemblyCheck, WantsMoreAccumulatorsWhereMorePipesMultiply) {
  const std::string text =
      "kernel:\n.LBB0_1:\n" + multiply_adds(8) + "\tcbnz\tx9, .LBB0_1\n\tret\n";
  const KernelSpec kernel = kernel_of(2, 64);
  EXPECT_EQ(why_refused(kernel, text, "neoverse-n1").value_or("(accepted)"), "(accepted)");
  EXPECT_THAT(why_refused(kernel, text, "neoverse-v2").value_or("(accepted)"),
              HasSubstr("hot loop has 8 accumulators, wanted 16: mr="));
}

TEST(NeonDisassembly, IsLabelledWhereItJumpsTo) {
  const std::string text = labelled(
      "\nk.so:     file format elf64-littleaarch64\n\n\nDisassembly of section .text:\n\n"
      "0000000000000040 <kernel>:\n  40:\ttbz\tw2, #0, 5c <kernel+0x1c>\n  44:\tmov\tx29, sp\n"
      "  48:\tldr\tq1, [x29, #64]\n  4c:\tfmla\tv2.4s, v1.4s, v3.s[1]\n"
      "  50:\tcbnz\tx9, 48 <kernel+0x8>\n  54:\tfmla\tv2.4s, v1.4s, v3.s[1]\n"
      "  58:\tb.ne\t54 <kernel+0x14>  // b.any\n  5c:\tbr\tx8\n",
      Arch::arm64);
  const std::vector<Loop> loops = hot_loops(text, Arch::arm64);
  ASSERT_EQ(loops.size(), 2u) << text;
  EXPECT_EQ(loops[0].label, ".L48");
  EXPECT_EQ(loops[0].instructions.size(), 3u) << text;
  EXPECT_THAT(loops[0].accumulators(), ElementsAre("v2"));
  EXPECT_EQ(loops[0].stack_references().size(), 1u);
  EXPECT_EQ(loops[1].label, ".L54");
  EXPECT_EQ(loops[1].instructions.back(), "b.ne\t.L54");
}

}  // namespace
}  // namespace gatefold::test
