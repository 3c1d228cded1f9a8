// `bench` on generated libraries.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gatefold/gatefold.h"
#include "tests/cli/block_files.h"
#include "tests/cli/gatefold_process.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;

TEST(Bench, TimesAgainstUnfused) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const Outcome outcome =
      gatefold({"bench", "--library", library_manifest("cli_swiglu"), "--rows", "1,5", "--threads",
                "1", "--warm", "--seconds", "0.05", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const auto json = outcome.json();
  ASSERT_EQ(json["cells"].size(), 4u);
  for (const auto& cell : json["cells"]) {
    EXPECT_EQ(cell["ok"], true) << cell.dump();
    EXPECT_EQ(cell["weights"], "warm");
    EXPECT_TRUE(cell["efficiency"].is_null());
    EXPECT_LE(cell["min_ms"], cell["median_ms"]);
  }
  EXPECT_EQ(json["cells"][0]["impl"], "gatefold");
  EXPECT_EQ(json["cells"][1]["impl"], "unfused");
  EXPECT_GT(json["roof"]["f32_gflops"], 0);
}

TEST(Bench, BothContendersAddTheResidual) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const Outcome outcome =
      gatefold({"bench", "--library", library_manifest("cli_residual"), "--rows", "5", "--threads",
                "1", "--warm", "--seconds", "0.05", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  const auto json = outcome.json();
  ASSERT_EQ(json["cells"].size(), 2u);
  for (const auto& cell : json["cells"]) EXPECT_EQ(cell["ok"], true) << cell.dump();
}

/// Whatever the machine does meanwhile: an efficiency is in (0, 1.05], or there is none.
TEST(Bench, EfficiencyOfColdWeightsIsPossibleOrRefused) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const Outcome outcome =
      gatefold({"bench", "--library", library_manifest("cli_relu_any"), "--shape", "1024x2048",
                "--rows", "1", "--threads", "1", "--vs", "none", "--seconds", "0.1", "--json"});
  const auto json = outcome.json();
  ASSERT_EQ(json["cells"].size(), 1u) << outcome.err;
  const auto& cell = json["cells"][0];
  if (cell["weights"] == "warm") GTEST_SKIP() << "the last cache holds 256 copies of 16 MiB";
  EXPECT_EQ(outcome.exit_code, cell["ok"] == true ? 0 : 1);
  EXPECT_EQ(cell["ok"], cell["efficiency"].is_number()) << cell.dump();
  if (!cell["efficiency"].is_number()) return;
  EXPECT_GT(cell["efficiency"], 0);
  EXPECT_LE(cell["efficiency"], 1.05);
}

TEST(Bench, AnOpenShapeMustBeGivenOnce) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const auto error = [](const std::string& library, const std::vector<std::string>& flags) {
    std::vector<std::string> command = {"bench", "--library", library_manifest(library)};
    command.insert(command.end(), flags.begin(), flags.end());
    const Outcome outcome = gatefold(command);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.err;
  };
  EXPECT_THAT(error("cli_relu_any", {}), HasSubstr("--shape: missing"));
  EXPECT_THAT(error("cli_relu_any", {"--shape", "8"}),
              HasSubstr("--shape: '8', wanted D_MODELxD_FF"));
  EXPECT_THAT(error("cli_relu_any", {"--shape", "8x8,16x16"}),
              HasSubstr("--shape: '8x8,16x16', wanted D_MODELxD_FF"));
  EXPECT_THAT(error("cli_swiglu", {"--shape", "8x8"}), HasSubstr("--shape: '8x8', but"));
}

Outcome short_bench(const std::vector<std::string>& flags, const RunOptions& options) {
  std::vector<std::string> command = {"bench",  "--library", library_manifest("cli_swiglu"),
                                      "--rows", "1",         "--warm",
                                      "--vs",   "none",      "--seconds",
                                      "0",      "--json"};
  command.insert(command.end(), flags.begin(), flags.end());
  return gatefold(command, options);
}

TEST(Bench, FollowsTheEnvironmentAsRunDoes) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const auto cell = [](const Outcome& outcome) {
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.json()["cells"].at(0);
  };
  const RunOptions three{.environment = {"GATEFOLD_THREADS=3"}};
  EXPECT_EQ(cell(short_bench({}, three))["threads"], 3);
  EXPECT_EQ(cell(short_bench({"--threads", "1"}, three))["threads"], 1);
  EXPECT_EQ(short_bench({}, {.environment = {"GATEFOLD_THREADS=many"}}).exit_code, 2);
  const Outcome other = short_bench({}, {.environment = {"GATEFOLD_ISA=x86-avx512-bf16"}});
  EXPECT_EQ(other.exit_code, 3);
  EXPECT_THAT(other.err, HasSubstr("GATEFOLD_ISA"));
  const Outcome host = short_bench({"--isa", "host"}, {.environment = {"GATEFOLD_ISA=x86-avx512"}});
  EXPECT_EQ(host.exit_code, 0) << host.err;
  EXPECT_EQ(host.json()["isa"], "x86-avx2");
  EXPECT_EQ(short_bench({"--isa", "x86-avx3"}, {}).exit_code, 2);
}

}  // namespace
}  // namespace gatefold::test
