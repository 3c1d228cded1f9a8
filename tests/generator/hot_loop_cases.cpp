#include "tests/generator/hot_loop_cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tests/generator/assembly.h"

namespace gatefold::test {
namespace {

struct Block {
  const char* variant;
  Shape shape;
  bool bias;
  RowBucket rows;
};

constexpr Block kBlocks[] = {{"swiglu", {4096, 11008}, false, kOne},
                             {"swiglu", {4096, 11008}, false, kFew},
                             {"swiglu", {4096, 11008}, false, kMany},
                             {"swiglu", {512, 1365}, true, kFew},
                             {"gelu", {384, 1536}, true, kFew},
                             {"relu", {512, 2048}, false, kOpen},
                             {"geglu", {}, true, kOne},
                             {"geglu", {}, true, kOpen}};

int vectors(const KernelSpec& k) { return k.point.streams * k.packing.panel / sum_lanes(k); }

int tallest(KernelSpec kernel) {
  kernel.point.mr = 1;
  while (!why_illegal(kernel)) ++kernel.point.mr;
  return kernel.point.mr - 1;
}

void expect_in_registers(const KernelSpec& kernel, const Loop& loop) {
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

}  // namespace

void PrintTo(const HotLoopCase& c, std::ostream* out) {
  *out << info(c.target).name << " " << info(c.dtype).name;
}

std::string describe(const KernelSpec& k) {
  return kernel_name(k) + " | " + k.packing.text() + " | " + k.point.text();
}

std::vector<KernelSpec> default_kernels(const HotLoopCase& c) {
  std::vector<KernelSpec> kernels;
  for (const Block& b : kBlocks) {
    kernels.push_back(
        default_kernel({variant_named(b.variant), c.dtype, b.shape, b.bias}, c.target, b.rows));
  }
  return kernels;
}

std::vector<KernelSpec> tallest_kernels(const HotLoopCase& c, const char* variant) {
  const FfnSpec ffn{variant_named(variant), c.dtype, {4096, 11008}, false};
  std::vector<KernelSpec> kernels;
  for (const Packing& packing : legal_packings(ffn, c.target)) {
    for (int streams = ffn.variant.gated ? 2 : 1; streams <= packing.group; streams *= 2) {
      KernelSpec kernel = default_kernel(ffn, c.target, kMany);
      kernel.packing = packing;
      kernel.point.streams = streams;
      kernel.point.kb = 0;
      kernel.point.mr = tallest(kernel);
      if (kernel.point.mr > 0) kernels.push_back(kernel);  // else they do not fit at all
    }
  }
  return kernels;
}

void expect_loops_in_registers(const KernelSpec& kernel, const std::vector<Loop>& loops) {
  EXPECT_GE(loops.size(), 2u) << "one for each projection";
  for (const Loop& loop : loops) expect_in_registers(kernel, loop);
}

}  // namespace gatefold::test
