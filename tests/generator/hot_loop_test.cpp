#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/emit.h"
#include "schedules/space.h"
#include "tests/generator/assembly.h"
#include "tests/generator/hot_loop_cases.h"
#include "tests/support/temporary_folder.h"
#include "tuning/disassembler.h"

namespace gatefold::test {
namespace {

class HotLoop : public testing::TestWithParam<HotLoopCase> {};

TEST_P(HotLoop, StaysInRegisters) {
  for (const KernelSpec& kernel : default_kernels(GetParam())) {
    SCOPED_TRACE(describe(kernel));
    const std::string assembly = assembly_of(kernel);
    EXPECT_EQ(why_refused(kernel, assembly).value_or(""), "");
    expect_loops_in_registers(kernel, hot_loops(assembly, Arch::x86_64));
  }
}

TEST_P(HotLoop, TallestLegalTileStaysInRegisters) {
  for (const KernelSpec& kernel : tallest_kernels(GetParam(), "swiglu")) {
    SCOPED_TRACE(describe(kernel));
    expect_loops_in_registers(kernel, hot_loops(assembly_of(kernel), Arch::x86_64));
  }
}

INSTANTIATE_TEST_SUITE_P(All, HotLoop,
                         testing::Values(HotLoopCase{Target::x86_avx2, DType::f32},
                                         HotLoopCase{Target::x86_avx2, DType::bf16},
                                         HotLoopCase{Target::x86_avx2, DType::f16},
                                         HotLoopCase{Target::x86_avx512, DType::f32},
                                         HotLoopCase{Target::x86_avx512, DType::bf16},
                                         HotLoopCase{Target::x86_avx512, DType::f16},
                                         HotLoopCase{Target::x86_avx512_bf16, DType::f32},
                                         HotLoopCase{Target::x86_avx512_bf16, DType::bf16}));

/// One kernel of every variant, and with them in turn the dtypes, targets, shapes and rows: the
/// point that everything is measured against must never be refused for its code.
TEST(DefaultPoints, AreNeverRefusedForTheirCode) {
  const Shape shapes[] = {{4096, 11008}, {}, {512, 1365}, {768, 3072}};
  const RowBucket rows[] = {kOne, kFew, kMany, kOpen, {2, 8, 8}};
  size_t turn = 0;
  for (const Variant& variant : all_variants()) {
    for (const TargetInfo& target : cpu_targets()) {
      const FfnSpec ffn{variant, all_dtypes()[turn % 3].dtype, shapes[turn / 3 % 4], turn % 2 == 1};
      const KernelSpec kernel = default_kernel(ffn, target.target, rows[turn % 5]);
      EXPECT_EQ(why_refused(kernel, assembly_of(kernel)).value_or(""), "") << describe(kernel);
      ++turn;
    }
    ++turn;  // so that a target does not keep one dtype
  }
}

TEST(Disassembly, ShowsTheLoopsOfTheCompilersAssembly) {
  const FfnSpec ffn{variant_named("swiglu"), DType::bf16, {512, 1365}, false};
  const TemporaryFolder folder;
  for (const TargetInfo& target : cpu_targets()) {
    const KernelSpec kernel = default_kernel(ffn, target.target, kFew);
    const auto object = folder.path() / "kernel.o", assembly = folder.path() / "kernel.s";
    emit_kernel(kernel, "kernel", object, assembly);
    const std::vector<Loop> wanted = hot_loops(content_of(assembly), target.arch);
    const std::vector<Loop> found =
        hot_loops(disassembly_of(object, target.arch, folder.path(), nullptr), target.arch);
    ASSERT_EQ(found.size(), wanted.size()) << target.name;
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].accumulators(), wanted[i].accumulators()) << found[i].text();
      EXPECT_EQ(found[i].instructions.size(), wanted[i].instructions.size()) << found[i].text();
    }
  }
}

}  // namespace
}  // namespace gatefold::test
