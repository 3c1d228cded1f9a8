// JSON on stdout and nothing else; the figures of `plan`; tables.
#include "cli/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "gatefold/gatefold.h"
#include "tests/cli/gatefold_process.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;

nlohmann::json json_of(std::vector<std::string> arguments) {
  arguments.push_back("--json");
  const Outcome outcome = gatefold(arguments);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.json();
}

bool has_name(const nlohmann::json& items, const std::string& name) {
  for (const auto& item : items) {
    if (item["name"] == name) return true;
  }
  return false;
}

TEST(List, ItemsHaveNames) {
  EXPECT_TRUE(has_name(json_of({"list", "variants"})["items"], "swiglu_oai"));
  EXPECT_TRUE(has_name(json_of({"list", "dtypes"})["items"], "bf16"));
  EXPECT_TRUE(has_name(json_of({"list", "presets"})["items"], "qwen3.8-27b"));
  const auto targets = json_of({"list", "targets"})["items"];
  EXPECT_TRUE(has_name(targets, "x86-avx512-bf16"));
  for (const auto& target : targets) {
    EXPECT_EQ(target["usable"], gf_isa_usable(target["name"].get<std::string>().c_str()) != 0);
  }
}

TEST(List, TableMarksUsableTargets) {
  const Outcome outcome = gatefold({"list", "targets"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("usable here"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("\033"))) << "colour without a terminal";
}

TEST(PlanCommand, PrintsTheIssuesFigures) {
  const auto two_thirds = json_of({"plan", "--d-model", "512", "--variant", "swiglu"});
  EXPECT_EQ(two_thirds["d_ff"], 1365);
  EXPECT_EQ(two_thirds["parameters"], 2096640);
  EXPECT_EQ(two_thirds["dense_parameters"], 2097152);
  EXPECT_EQ(two_thirds["matched"], true);
  EXPECT_EQ(json_of({"plan", "--d-model", "4096", "--multiple-of", "256"})["d_ff"], 11008);
  const auto llama3 = json_of({"plan", "--preset", "llama-3-8b"});
  EXPECT_EQ(llama3["d_ff"], 14336);
  EXPECT_EQ(llama3["matched"], false);
  EXPECT_EQ(json_of({"plan", "--preset", "qwen3.8-27b"})["parameters"], 267386880);
}

TEST(PlanCommand, FlagsOverrideThePreset) {
  const auto json = json_of({"plan", "--preset", "gpt2", "--variant", "geglu", "--d-ff", "2048",
                             "--rows", "3", "--dtype", "bf16"});
  EXPECT_EQ(json["variant"], "geglu");
  EXPECT_EQ(json["parameters"], 3 * 768 * 2048);
  EXPECT_EQ(json["weight_bytes"], 2 * 3 * 768 * 2048);
  EXPECT_EQ(json["flops"], 3 * 2 * 3 * 768 * 2048);
}

TEST(Doctor, TellsMachineRoofAndTools) {
  const Outcome outcome = gatefold({"doctor", "--threads", "1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["machine"]["threads"], gf_default_threads());
  if (json["machine"]["isa"] != "") {
    EXPECT_GT(json["roof"]["f32_gflops"], 0);
    EXPECT_GT(json["roof"]["read_gbps"], 0);
  }
  EXPECT_TRUE(has_name(json["tools"], "gatefold-emit"));
  EXPECT_TRUE(json["wakeup"]["warm_us"].is_null()) << "one thread wakes nobody";
}

TEST(Doctor, TellsWhatWakingTheWorkersCosts) {
  const Outcome outcome = gatefold({"doctor", "--threads", "2", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["wakeup"]["threads"], 2);
  EXPECT_GT(json["wakeup"]["warm_us"], 0);
  EXPECT_GT(json["wakeup"]["asleep_us"], 0);
}

TEST(FullDisk, IsNotSuccess) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Outcome outcome = gatefold({"list", "presets"}, {.stdout_file = "/dev/full"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("standard output"));
}

TEST(TableText, AlignsAndCountsCharactersNotBytes) {
  cli::Table table({"name", ">n"});
  table.add({"größe", "1"});
  table.add({"x", "23"});
  EXPECT_EQ(table.text(), "name    n\ngröße   1\nx      23");
}

TEST(TableText, IsBoldOnlyInTheHeading) {
  cli::Table table({"a"});
  table.add({"b"});
  EXPECT_EQ(table.text(true), "\033[1ma\033[0m\nb");
}

TEST(Numbers, UnknownOnesAreNull) {
  EXPECT_TRUE(cli::number_or_null(std::nullopt).is_null());
  EXPECT_TRUE(cli::number_or_null(std::numeric_limits<double>::quiet_NaN()).is_null());
  EXPECT_TRUE(cli::number_or_null(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_EQ(cli::number_or_null(1.5), 1.5);
  EXPECT_EQ(cli::ratio_text(std::nullopt), "-");
  EXPECT_EQ(cli::ms_text(0.123456), "0.1235");
  EXPECT_EQ(cli::bytes_text(1536), "1.5 KiB");
}

}  // namespace
}  // namespace gatefold::test
