// `--emulated` without an emulator. With one it is tested in tests/emulation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/gatefold_process.h"
#include "tests/support/paths.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;

TEST(Emulated, IsRefusedWithoutAnEmulator) {
  const std::string library = binary_dir() + "/tests/cli/cli_bf16_dot/cli_bf16_dot.json";
  const Outcome outcome = gatefold({"check", "--library", library, "--emulated", "--json"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("gatefold: error: --emulated: no emulator is loaded"));
}

}  // namespace
}  // namespace gatefold::test
