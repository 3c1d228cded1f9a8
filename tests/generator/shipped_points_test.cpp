// The winners that come with the product: all legal, and no register of theirs is spilled in a hot
// loop.
#include <gtest/gtest.h>

#include <map>

#include "schedules/space.h"
#include "tests/generator/assembly.h"
#include "tuning/assembly_check.h"
#include "tuning/winners.h"

namespace gatefold::test {
namespace {

/// By what decides the code, so that points shared by thread counts are looked at once.
std::map<std::string, KernelSpec> shipped_kernels() {
  std::map<std::string, KernelSpec> kernels;
  for (const WinnerSet& set : shipped_winners()) {
    EXPECT_TRUE(set.current()) << "of another generator or Halide: tune again";
    for (const Winner& winner : set.winners) {
      const KernelSpec kernel{set.key.ffn, set.key.target, winner.cell.bucket,
                              parse_packing(set.packing), parse_point(winner.cell.point)};
      kernels[kernel_name(kernel) + " | " + set.packing + " | " + winner.cell.point] = kernel;
    }
  }
  return kernels;
}

TEST(ShippedPoints, AreLegalAndStayInRegisters) {
  const auto kernels = shipped_kernels();
  EXPECT_FALSE(kernels.empty());
  for (const auto& [name, kernel] : kernels) {
    SCOPED_TRACE(name);
    ASSERT_EQ(why_illegal(kernel).value_or(""), "");
    const std::string assembly = assembly_of(kernel);
    EXPECT_EQ(beyond_target(assembly, kernel.target), "");
    EXPECT_EQ(why_refused(kernel, assembly).value_or(""), "");
  }
}

}  // namespace
}  // namespace gatefold::test
