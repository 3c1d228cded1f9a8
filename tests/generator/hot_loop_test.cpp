#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/emit.h"
#include "schedules/space.h"
#include "tests/generator/assembly.h"
#include "tests/generator/test_block.h"
#include "tuning/disassembler.h"

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
    const std::string assembly = assembly_of(kernel);
    EXPECT_EQ(why_refused(kernel, assembly).value_or(""), "");
    const std::vector<Loop> loops = hot_loops(assembly);
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

/// One kernel of every variant, and with them in turn the dtypes, targets, shapes and rows: the
/// point that everything is measured against must never be refused for its code.
TEST(DefaultPoints, AreNeverRefusedForTheirCode) {
  const Shape shapes[] = {{4096, 11008}, {}, {512, 1365}, {768, 3072}};
  const RowBucket rows[] = {kOne, kFew, kMany, kOpen, {2, 8, 8}};
  size_t turn = 0;
  for (const Variant& variant : all_variants()) {
    for (const TargetInfo& target : all_targets()) {
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
  for (const TargetInfo& target : all_targets()) {
    const KernelSpec kernel = default_kernel(ffn, target.target, kFew);
    const auto object = folder.path() / "kernel.o", assembly = folder.path() / "kernel.s";
    emit_kernel(kernel, "kernel", object, assembly);
    const std::vector<Loop> wanted = hot_loops(content_of(assembly));
    const std::vector<Loop> found = hot_loops(disassembly_of(object, folder.path(), nullptr));
    ASSERT_EQ(found.size(), wanted.size()) << target.name;
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].accumulators(), wanted[i].accumulators()) << found[i].text();
      EXPECT_EQ(found[i].instructions.size(), wanted[i].instructions.size()) << found[i].text();
    }
  }
}

}  // namespace
}  // namespace gatefold::test
