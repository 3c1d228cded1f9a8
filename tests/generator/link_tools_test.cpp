#include "generator/link_tools.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "spec/error.h"
#include "tests/generator/test_block.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

/// A variable of the environment, put back at the end.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

Arch other_arch() { return host_arch() == Arch::x86_64 ? Arch::arm64 : Arch::x86_64; }

TEST(LinkTools, CompilerOfTheEnvironmentIsForThisArchitectureOnly) {
  const ScopedVariable cc("CC", "my-compiler");
  EXPECT_EQ(link_tools(host_arch()).compiler, "my-compiler");
  EXPECT_EQ(link_tools(host_arch()).ld, "ld");
  EXPECT_EQ(link_tools(other_arch()).compiler, std::string(info(other_arch()).triplet) + "-gcc");
}

TEST(LinkTools, OfArm64AreDebiansCrossTools) {
  if (host_arch() == Arch::arm64) GTEST_SKIP() << "here they are the machine's own";
  const LinkTools tools = link_tools(Arch::arm64);
  EXPECT_EQ(tools.compiler, "aarch64-linux-gnu-gcc");
  EXPECT_EQ(tools.ld, "aarch64-linux-gnu-ld");
  EXPECT_EQ(tools.objcopy, "aarch64-linux-gnu-objcopy");
  EXPECT_EQ(tools.ar, "aarch64-linux-gnu-ar");
  EXPECT_EQ(tools.compiler_package, "gcc-aarch64-linux-gnu");
  EXPECT_EQ(tools.binutils_package, "binutils-aarch64-linux-gnu");
}

TEST(LinkTools, MissingOnesAreNamedBeforeAnythingIsCompiled) {
  const TemporaryFolder empty, out;
  const ScopedVariable path("PATH", empty.path().string());
  const FfnSpec ffn{variant_named("swiglu"), DType::f32, {16, 40}, false};
  LibraryPlan plan = default_plan(ffn, Target::x86_avx2, {1});
  LibraryOptions options = options_in(out);
  options.emitter = "/no/emitter";
  try {
    build_library(plan, options);
    FAIL() << "linked without tools";
  } catch (const Error& error) {
    const LinkTools tools = link_tools(Arch::x86_64);
    EXPECT_THAT(error.what(), HasSubstr("'" + tools.compiler + "' is not on the PATH"));
    EXPECT_THAT(error.what(), HasSubstr("apt-get install " + tools.compiler_package));
  }
}

}  // namespace
}  // namespace gatefold::test
