#include <gtest/gtest.h>

#include "tests/formats/files.h"
#include "tests/ptx/interpreter.h"
#include "tests/ptx/single_cases.h"
#include "tests/ptx/warp_kernels.h"
#include "tests/support/command.h"
#include "tests/support/paths.h"

namespace gatefold::ptx {
namespace {

/// What the interpreter is tested with must be PTX, not what the interpreter takes for it.
void expect_accepted(const std::string& name, const std::string& text) {
  const test::TempFolder folder;
  const ProcessResult result = test::result_of({test::ptxas(), "-arch=sm_90", "-O0", "-o",
                                                folder / "cubin", folder.file("module.ptx", text)},
                                               240);
  EXPECT_TRUE(result.ok()) << name << ": " << result.errors;
}

class Ptxas : public testing::Test {
 protected:
  void SetUp() override {
    if (test::ptxas().empty())
      GTEST_SKIP() << "no ptxas: not on the PATH, no toolkit, none fetched";
  }
};

template <typename Case>
std::string module_of(const std::vector<Case>& cases) {
  std::string text = module_header();
  for (size_t i = 0; i < cases.size(); ++i) {
    text += "// " + std::to_string(i) + "\n" + kernel_of(cases[i], "k" + std::to_string(i));
  }
  return text;
}

TEST_F(Ptxas, AcceptsTheInstructions) {
  expect_accepted("integers", module_of(integer_cases()));
  expect_accepted("bits", module_of(bit_cases()));
  expect_accepted("floats", module_of(float_cases()));
  expect_accepted("halves", module_of(half_cases()));
  expect_accepted("comparisons", module_of(comparison_cases()));
  expect_accepted("conversions", module_of(conversion_cases()));
  expect_accepted("moves", module_of(move_cases()));
}

TEST_F(Ptxas, AcceptsTheKernelsWithAndWithoutFaults) {
  expect_accepted("accesses", module_of(access_cases()));
  expect_accepted("convergence", module_of(convergence_cases()));
  expect_accepted("copies", module_of(async_cases()));
  expect_accepted("pipeline", module_header() + pipeline_kernel());
  expect_accepted("product", module_header() + product_kernel("bf16"));
  expect_accepted("sums in f16",
                  module_header() + fragment_kernel("m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2));
  expect_accepted("eight deep",
                  module_header() + fragment_kernel("m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4));
}

}  // namespace
}  // namespace gatefold::ptx
