// Command lines that are wrong: exit code 2, one line on stderr that names the flag, nothing on
// stdout.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Arguments = std::vector<std::string>;

/// SPEC flags of a small block, and the flags under test.
Arguments generate_with(const Arguments& flags, const std::string& folder) {
  Arguments all = {"generate", "-o", folder};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

struct BadFlags {
  const char* name;
  Arguments flags;
  std::vector<std::string> message;  ///< parts of it
};

class BadSpec : public testing::TestWithParam<BadFlags> {};

TEST_P(BadSpec, IsRefusedByNameAndLeavesNothing) {
  const TempFolder folder;
  for (Arguments command : {Arguments{"generate", "-o", folder / "lib"},
                            Arguments{"tune", "--db", folder / "t.db", "--trials", "1"}}) {
    command.insert(command.end(), GetParam().flags.begin(), GetParam().flags.end());
    const Outcome outcome = gatefold(command);
    EXPECT_EQ(outcome.exit_code, 2) << command[0] << ": " << outcome.err;
    EXPECT_THAT(outcome.err, StartsWith("gatefold: error: "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    for (const std::string& part : GetParam().message) EXPECT_THAT(outcome.err, HasSubstr(part));
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(folder.names(), testing::IsEmpty());
  }
}

const Arguments kBlock = {"--variant", "swiglu", "--d-model", "64", "--d-ff", "160"};

Arguments block_with(Arguments flags) {
  flags.insert(flags.begin(), kBlock.begin(), kBlock.end());
  return flags;
}

INSTANTIATE_TEST_SUITE_P(
    Flags, BadSpec,
    testing::Values(
        BadFlags{"Variant",
                 {"--variant", "swigly", "--d-model", "8", "--d-ff", "8"},
                 {"unknown variant 'swigly', did you mean 'swiglu'?"}},
        BadFlags{"DType",
                 block_with({"--dtype", "fp32"}),
                 {"unknown dtype 'fp32', did you mean 'f32'?"}},
        BadFlags{"Target",
                 block_with({"--target", "x86-avx3"}),
                 {"unknown target 'x86-avx3', did you mean 'x86-avx2'?"}},
        BadFlags{"TargetTwice",
                 block_with({"--target", "x86-avx2,x86-avx2"}),
                 {"--target", "stands twice"}},
        BadFlags{"TargetEmpty", block_with({"--target", "x86-avx2,"}), {"--target", "empty name"}},
        BadFlags{"TargetsOfTwoArchitectures",
                 block_with({"--target", "x86-avx2,arm64-neon"}),
                 {"--target: 'x86-avx2' is for x86_64 and 'arm64-neon' for arm64"}},
        BadFlags{
            "Preset", {"--preset", "llama2-7b"}, {"unknown preset", "did you mean 'llama-2-7b'?"}},
        BadFlags{"DModelZero",
                 {"--variant", "relu", "--d-model", "0", "--d-ff", "8"},
                 {"--d-model: 0, wanted"}},
        BadFlags{"DModelNegative",
                 {"--variant", "relu", "--d-model", "-5", "--d-ff", "8"},
                 {"--d-model: -5, wanted"}},
        BadFlags{"DModelHuge",
                 {"--variant", "relu", "--d-model", "1099511627776", "--d-ff", "8"},
                 {"--d-model: 1099511627776, wanted", "1048576"}},
        BadFlags{"DModelText",
                 {"--variant", "relu", "--d-model", "many", "--d-ff", "8"},
                 {"--d-model: 'many'"}},
        BadFlags{"DFfMissing", {"--variant", "relu", "--d-model", "8"}, {"--d-ff: missing"}},
        BadFlags{"VariantMissing", {"--d-model", "8", "--d-ff", "8"}, {"--variant: missing"}},
        BadFlags{"RowsEmpty", block_with({"--rows", ""}), {"--rows: ''"}},
        BadFlags{
            "RowsDescending", block_with({"--rows", "4,1"}), {"--rows: 1 after 4", "ascending"}},
        BadFlags{"RowsZero", block_with({"--rows", "0,1"}), {"--rows: 0"}},
        BadFlags{"RowsText", block_with({"--rows", "1,two"}), {"--rows: 'two'"}},
        BadFlags{
            "Slope", block_with({"--slope", "0.1"}), {"--slope", "'swiglu' has no such parameter"}},
        BadFlags{
            "SlopeText", block_with({"--slope", "steep"}), {"--slope: 'steep', wanted a number"}},
        BadFlags{"UnknownFlag",
                 block_with({"--d-modal", "8"}),
                 {"unexpected '--d-modal', did you mean '--d-model'?"}}),
    [](const auto& test) { return test.param.name; });

struct BadCommand {
  const char* name;
  Arguments command;
  std::vector<std::string> message;
};

class BadCommandLine : public testing::TestWithParam<BadCommand> {};

TEST_P(BadCommandLine, ExitsWithTwo) {
  const Outcome outcome = gatefold(GetParam().command);
  EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
  EXPECT_THAT(outcome.err, StartsWith("gatefold: error: "));
  for (const std::string& part : GetParam().message) EXPECT_THAT(outcome.err, HasSubstr(part));
  EXPECT_EQ(outcome.out, "");
}

INSTANTIATE_TEST_SUITE_P(
    Commands, BadCommandLine,
    testing::Values(
        BadCommand{"None", {}, {"subcommand"}},
        BadCommand{"Unknown", {"generat"}, {"unknown command 'generat', did you mean 'generate'?"}},
        BadCommand{"ListOfNothing", {"list", "kernels"}, {"unknown list 'kernels'"}},
        BadCommand{"ListWithoutWhat", {"list"}, {"what is required"}},
        BadCommand{"PlanFlag", {"plan", "--no-such-flag"}, {"--no-such-flag"}},
        BadCommand{"PlanWithoutWidth", {"plan"}, {"--d-model: missing"}},
        BadCommand{
            "PlanRows", {"plan", "--d-model", "8", "--rows", "1,2"}, {"--rows", "one number"}},
        BadCommand{
            "PlanRatio", {"plan", "--d-model", "8", "--dense-ratio", "-1"}, {"--dense-ratio: -1"}},
        BadCommand{
            "PlanMultiple", {"plan", "--d-model", "8", "--multiple-of", "0"}, {"--multiple-of: 0"}},
        BadCommand{"GenerateWithoutFolder", {"generate", "--preset", "gpt2"}, {"--output"}},
        BadCommand{"TuneWithoutBudget",
                   {"tune", "--preset", "gpt2", "--db", "t.db"},
                   {"--budget: missing"}},
        BadCommand{"TuneBudget",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--budget", "soon"},
                   {"--budget: 'soon'"}},
        BadCommand{"TuneWithoutDatabase",
                   {"tune", "--preset", "gpt2", "--trials", "1"},
                   {"--db: missing, wanted it, --replay"}},
        BadCommand{"TuneTrials",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--trials", "0"},
                   {"--trials: '0', wanted a whole number from 1"}},
        BadCommand{"TuneTrialsText",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--trials", "32,64"},
                   {"--trials: '32,64'"}},
        BadCommand{"TuneEffort",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--effort", "quik"},
                   {"unknown effort 'quik', did you mean 'quick'?", "standard", "deep"}},
        BadCommand{
            "TuneEffortAndTrials",
            {"tune", "--preset", "gpt2", "--db", "t.db", "--effort", "deep", "--trials", "9"},
            {"--effort and --trials: both given"}},
        BadCommand{
            "TuneStrategy",
            {"tune", "--preset", "gpt2", "--db", "t.db", "--trials", "1", "--strategy", "forrest"},
            {"did you mean 'forest'?", "ils", "coordinate", "random", "exhaustive"}},
        BadCommand{
            "RecordOfTwoBuckets",
            {"tune", "--preset", "gpt2", "--db", "t.db", "--rows", "1,4", "--record", "r.gz"},
            {"--record: 2 row buckets, wanted --rows with one number"}},
        BadCommand{"ReplayWithDatabase",
                   {"tune", "--replay", "s.csv.gz", "--db", "t.db"},
                   {"--db: not with --replay"}},
        BadCommand{"SpaceWithDatabase",
                   {"tune", "--preset", "gpt2", "--space", "--db", "t.db"},
                   {"--db: not with --space"}},
        BadCommand{"GpuWithDatabase",
                   {"tune", "--preset", "gpt2", "--gpu", "a10", "--db", "t.db"},
                   {"--db: not with --gpu"}},
        BadCommand{"GpuUnknown",
                   {"tune", "--preset", "gpt2", "--target", "cuda-sm80", "--gpu", "a10g"},
                   {"unknown GPU profile 'a10g', did you mean 'a10'?"}},
        BadCommand{"GpuOfACpu",
                   {"tune", "--preset", "gpt2", "--target", "x86-avx2", "--gpu", "a10"},
                   {"--gpu: with --target x86-avx2, wanted one of CUDA"}},
        BadCommand{"GpuTooOld",
                   {"tune", "--preset", "gpt2", "--target", "cuda-sm90", "--gpu", "a10"},
                   {"--gpu: 'a10' has capability 86, wanted at least 90"}},
        BadCommand{"PtxasMissing",
                   {"tune", "--preset", "gpt2", "--target", "cuda-sm80", "--gpu", "a10", "--ptxas",
                    "./no-such-assembler"},
                   {"--ptxas: './no-such-assembler', wanted a program to run"}},
        BadCommand{"PtxasWithoutGpu",
                   {"tune", "--preset", "gpt2", "--ptxas", "none"},
                   {"--ptxas: only with --gpu"}},
        BadCommand{"SelfTestWithExport",
                   {"tune", "--selftest", "--export", "w.json"},
                   {"--export: not with --selftest"}},
        BadCommand{"SeedsWithoutReplay",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--trials", "1", "--seeds", "3"},
                   {"--seeds: only with --replay"}},
        BadCommand{"ReplayTrials",
                   {"tune", "--replay", "s.csv.gz", "--trials", "32,16"},
                   {"--trials: 16 after 32"}},
        BadCommand{"ReplayStrategy",
                   {"tune", "--replay", "s.csv.gz", "--strategy", "best"},
                   {"unknown strategy 'best'", "forest", "all"}},
        BadCommand{"ReplaySeeds", {"tune", "--replay", "s.csv.gz", "--seeds", "0"}, {"--seeds"}},
        BadCommand{"ReplayEmptyName",
                   {"tune", "--replay", "s.csv.gz,", "--trials", "4"},
                   {"--replay: 's.csv.gz,' has an empty name"}},
        BadCommand{"TuneBudgetOfNothing",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--budget", "0s"},
                   {"--budget: '0s'", "above 0"}},
        BadCommand{"TuneBudgetBelowNothing",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--budget=-5m"},
                   {"--budget: '-5m'", "above 0"}},
        BadCommand{"TuneBudgetNotANumber",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--budget", "nan"},
                   {"--budget: 'nan'"}},
        BadCommand{"TuneBudgetWithAComma",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--budget", "1,5m"},
                   {"--budget: '1,5m'"}},
        BadCommand{"TuneWorkerOfNothing",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--trials", "1", "--worker", ""},
                   {"--worker: ''"}},
        BadCommand{"TuneTargets",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--trials", "1", "--target",
                    "x86-avx2,x86-avx512"},
                   {"--target: 2 targets, wanted one"}},
        BadCommand{"CheckWithoutLibrary", {"check"}, {"--library"}},
        BadCommand{
            "CheckShapes", {"check", "--library", "k.json", "--shapes", "8"}, {"--shapes: '8'"}},
        BadCommand{"BenchContender",
                   {"bench", "--library", "k.json", "--vs", "unfusd"},
                   {"did you mean 'unfused'?"}},
        BadCommand{"TuneSeed",
                   {"tune", "--preset", "gpt2", "--db", "t.db", "--seed", "first"},
                   {"--seed: 'first', wanted a whole number, 0 or more"}},
        BadCommand{"PlanRatioText",
                   {"plan", "--d-model", "8", "--dense-ratio", "wide"},
                   {"--dense-ratio: 'wide', wanted a number"}},
        BadCommand{"RunThreads", {"run", "--threads", "0"}, {"--threads"}}),
    [](const auto& test) { return test.param.name; });

TEST(Help, IsEverywhereAndHasAnExample) {
  for (const char* command :
       {"list", "doctor", "plan", "generate", "tune", "report", "run", "check", "bench"}) {
    const Outcome outcome = gatefold({command, "--help"});
    EXPECT_EQ(outcome.exit_code, 0) << command;
    EXPECT_THAT(outcome.out, HasSubstr("Example:\n  gatefold " + std::string(command)));
    EXPECT_EQ(outcome.err, "");
  }
  EXPECT_EQ(gatefold({"--help"}).exit_code, 0);
  EXPECT_THAT(gatefold({"--version"}).out, testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Usage, AFullStderrDoesNotChangeTheExitCode) {
  const RunOptions full{.stderr_file = "/dev/full"};
  EXPECT_EQ(gatefold({"plan", "--d-model", "0"}, full).exit_code, 2);
  EXPECT_EQ(gatefold({"plan", "--d-model", "512"}, full).exit_code, 0);
}

TEST(Generate, BadNamesAndSchedulesAreRefused) {
  const TempFolder folder;
  const auto error = [&](const Arguments& flags) {
    const Outcome outcome = gatefold(generate_with(block_with(flags), folder / "lib"));
    EXPECT_NE(outcome.exit_code, 0);
    EXPECT_THAT(folder.names(), testing::IsEmpty());
    return std::to_string(outcome.exit_code) + " " + outcome.err;
  };
  EXPECT_THAT(error({"--name", "my-lib"}), HasSubstr("2 gatefold: error: --name: 'my-lib'"));
  EXPECT_THAT(error({"--name", "../x"}), HasSubstr("--name: '../x'"));
  EXPECT_THAT(error({"--cpu", "zen44"}), HasSubstr("unknown CPU profile 'zen44'"));
  EXPECT_THAT(error({"--schedule", "mr=x"}), HasSubstr("2 gatefold: error: schedule point: mr=x"));
  EXPECT_THAT(error({"--schedule", "nr=3"}), HasSubstr("unknown name 'nr'"));
  EXPECT_THAT(error({"--schedule", "mr=999"}),
              HasSubstr("2 gatefold: error: --schedule: 'mr=999' is not"));
  EXPECT_THAT(error({"--schedule", folder / "none.db"}), HasSubstr("none.db"));
}

}  // namespace
}  // namespace gatefold::test
