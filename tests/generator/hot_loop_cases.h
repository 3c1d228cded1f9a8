#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "spec/ffn_spec.h"
#include "tuning/assembly_check.h"

namespace gatefold::test {

struct HotLoopCase {
  Target target;
  DType dtype;
};
void PrintTo(const HotLoopCase& c, std::ostream* out);

inline constexpr RowBucket kOne = {1, 1, 1}, kFew = {5, 16, 16}, kMany = {65, 256, 256},
                           kOpen = {17, RowBucket::kOpen, 64};

std::string describe(const KernelSpec& kernel);

/// Kernels with default points: one row to many, gated and dense, fixed and any sizes.
std::vector<KernelSpec> default_kernels(const HotLoopCase& c);

/// For each packing and number of streams the tallest row tile that the space lets the tuner try.
std::vector<KernelSpec> tallest_kernels(const HotLoopCase& c, const char* variant);

/// Each of the kernel's hot loops multiplies as its target and point say and stays in registers.
void expect_loops_in_registers(const KernelSpec& kernel, const std::vector<Loop>& loops);

}  // namespace gatefold::test
