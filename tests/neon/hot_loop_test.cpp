// The hot loops of NEON kernels, read from the compiler's assembly.
#include <gtest/gtest.h>

#include <iomanip>
#include <iostream>
#include <sstream>

#include "tests/generator/assembly.h"
#include "tests/generator/hot_loop_cases.h"
#include "tuning/winners.h"

namespace gatefold::test {
namespace {

class NeonHotLoop : public testing::TestWithParam<HotLoopCase> {};

double multiply_share(const Loop& loop) {
  return double(loop.multiply_adds()) / double(loop.instructions.size());
}

/// What each loop multiplies, of how many instructions: "0.77 (48 of 62), 0.75 (48 of 64)".
std::string shares_text(const std::vector<Loop>& loops) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2);
  for (const Loop& loop : loops) {
    text << (&loop == &loops.front() ? "" : ", ") << multiply_share(loop) << " ("
         << loop.multiply_adds() << " of " << loop.instructions.size() << ")";
  }
  return text.str();
}

/// No stack, no single lanes moved; and of f32, where nothing is widened, tall tiles multiply in
/// three of five instructions at least.
void expect_lean(const KernelSpec& kernel) {
  SCOPED_TRACE(describe(kernel));
  const std::string assembly = assembly_of(kernel);
  EXPECT_EQ(why_refused(kernel, assembly).value_or(""), "");
  const std::vector<Loop> loops = hot_loops(assembly, Arch::arm64);
  expect_loops_in_registers(kernel, loops);
  std::cout << shares_text(loops) << "  " << describe(kernel) << "\n";
  if (kernel.ffn.dtype != DType::f32 || kernel.point.mr < 6) return;
  for (const Loop& loop : loops) EXPECT_GE(multiply_share(loop), 0.60) << loop.text();
}

TEST_P(NeonHotLoop, OfDefaultPointsIsLean) {
  for (const KernelSpec& kernel : default_kernels(GetParam())) expect_lean(kernel);
}

TEST_P(NeonHotLoop, OfShippedPointsIsLean) {
  for (const WinnerSet& set : shipped_winners()) {
    if (set.key.target != GetParam().target || set.key.ffn.dtype != GetParam().dtype) continue;
    for (const Winner& winner : set.winners) {
      expect_lean({set.key.ffn, set.key.target, winner.cell.bucket, parse_packing(set.packing),
                   parse_point(winner.cell.point)});
    }
  }
}

TEST_P(NeonHotLoop, OfTheTallestLegalTilesIsLean) {
  for (const char* variant : {"swiglu", "relu"}) {
    for (const KernelSpec& kernel : tallest_kernels(GetParam(), variant)) expect_lean(kernel);
  }
}

INSTANTIATE_TEST_SUITE_P(All, NeonHotLoop,
                         testing::Values(HotLoopCase{Target::arm64_neon, DType::f32},
                                         HotLoopCase{Target::arm64_neon, DType::bf16},
                                         HotLoopCase{Target::arm64_neon, DType::f16},
                                         HotLoopCase{Target::arm64_neon_dotprod, DType::f32},
                                         HotLoopCase{Target::arm64_neon_dotprod, DType::bf16},
                                         HotLoopCase{Target::arm64_neon_dotprod, DType::f16}));

}  // namespace
}  // namespace gatefold::test
