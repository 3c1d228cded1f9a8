// `sweep` through the program: two small blocks with real kernels, and files that are no sweeps.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gatefold/gatefold.h"
#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTwoBlocks =
    "variants = ['relu']\nsizes = ['64x64', '64x128']\ndtypes = ['f32']\ntargets = ['x86-avx2']\n"
    "rows = [2]\nthreads = [1]\n";

/// Whether the database holds a cell's final race yet.
bool holds_a_race(const std::string& db) {
  try {
    return SQLite::Database(db).execAndGet("SELECT count(*) FROM race").getInt() > 0;
  } catch (const SQLite::Exception&) {
    return false;  // not made yet, or being written
  }
}

class Sweep : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  }

  Outcome sweep(const std::string& text, const std::vector<std::string>& flags = {},
                const RunOptions& options = {}) {
    folder_.file("s.toml", text);
    std::vector<std::string> arguments = {"sweep", folder_ / "s.toml", "--db", db()};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    return gatefold(arguments, options);
  }

  std::string error_of(const std::string& text, const std::vector<std::string>& flags = {}) {
    const Outcome outcome = sweep(text, flags);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_FALSE(std::filesystem::exists(db())) << "nothing is made for a wrong file";
    return outcome.err;
  }

  std::string db() const { return folder_ / "t.db"; }

  TempFolder folder_;
};

TEST_F(Sweep, TunesReportsAndResumes) {
  const std::string winners = folder_ / "w.json";
  const std::string text = kTwoBlocks + std::string("trials = 4\nexport = '") + winners + "'\n";
  const Outcome first = sweep(text, {"--json"});
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const auto json = first.json();
  EXPECT_EQ(json["plan"]["cells"], 2);
  EXPECT_EQ(json["plan"]["trials"], 8);
  EXPECT_GT(json["plan"]["seconds"], 0);
  EXPECT_EQ(json["plan"]["rate_of_trials"], 0) << "a guess";
  EXPECT_THAT(first.err, HasSubstr("2 cells of 1 row counts"));
  EXPECT_THAT(first.err, HasSubstr("4 trials for each cell, 8 to be made"));
  ASSERT_EQ(json["cells"].size(), 2u);
  EXPECT_EQ(json["cells"][1]["d_ff"], 128);
  EXPECT_GT(json["cells"][1]["median_ms"], 0);
  EXPECT_GT(json["cells"][1]["speedup"], 0);
  EXPECT_TRUE(json["failed"].empty());
  EXPECT_EQ(json["leave_one_out"].size(), 2u);
  ASSERT_GE(json["distil"].size(), 1u) << "one for each packing that was chosen";
  EXPECT_FALSE(json["distil"][0]["points"].empty());
  EXPECT_TRUE(std::filesystem::exists(winners));

  const auto again = sweep(text, {"--json"}).json();
  EXPECT_EQ(again["plan"]["finished"], 2);
  EXPECT_EQ(again["plan"]["trials"], 0);
  EXPECT_EQ(again["cells"], json["cells"]);
}

TEST_F(Sweep, ADryRunShowsThePlanAndMakesNothing) {
  const Outcome outcome = sweep(kTwoBlocks + std::string("effort = 'quick'\n"), {"--dry-run"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("2 cells of 1 row counts\n"));
  EXPECT_THAT(outcome.out, HasSubstr("32 trials for each cell, 64 to be made: about "));
  EXPECT_THAT(outcome.out, HasSubstr("a trial is a guess"));
  EXPECT_THAT(outcome.out, HasSubstr("  relu 64x128 f32 on x86-avx2, 1 thread\n"));
  EXPECT_FALSE(std::filesystem::exists(db()));
  const auto json =
      sweep(kTwoBlocks + std::string("budget = '1m'\n"), {"--dry-run", "--json"}).json();
  EXPECT_EQ(json["planned"].size(), 2u);
  EXPECT_EQ(json["plan"]["seconds"], 120);
}

TEST_F(Sweep, IllegalCombinationsAreShownWithTheReason) {
  const auto json = sweep(
                        "variants = ['relu']\nsizes = ['64x64']\ndtypes = ['f32', 'bf16']\n"
                        "act_dtypes = ['bf16']\ntargets = ['x86-avx2']\ntrials = 1\n",
                        {"--dry-run", "--json"})
                        .json();
  ASSERT_EQ(json["left_out"].size(), 1u);
  EXPECT_EQ(json["left_out"][0]["cell"], "relu 64x64 f32 with bf16 activations");
  EXPECT_THAT(json["left_out"][0]["why"].get<std::string>(), HasSubstr("wanted f32"));
}

TEST_F(Sweep, CtrlCKeepsWhatIsFinished) {
  const RunOptions options{.interrupt_when = [&] { return holds_a_race(db()); }};
  const Outcome outcome = sweep(kTwoBlocks + std::string("trials = 4\n"), {"--json"}, options);
  ASSERT_EQ(outcome.exit_code, 130) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_GE(json["cells"].size(), 1u);
  EXPECT_TRUE(json["failed"].empty());
  EXPECT_THAT(outcome.err, HasSubstr("the same command goes on there"));
}

TEST_F(Sweep, FilesThatAreNoSweepsAreRefused) {
  EXPECT_THAT(error_of(kTwoBlocks + std::string("trials = 1\ndtype = ['f32']\n")),
              HasSubstr("s.toml:8: dtype: unknown key 'dtype', did you mean 'dtypes'?"));
  EXPECT_THAT(error_of("variants = []\ntrials = 1\n"), HasSubstr("s.toml:1: variants: an empty"));
  EXPECT_THAT(error_of("variants = ['relu'\n"), HasSubstr("not TOML"));
  EXPECT_THAT(error_of("variants = ['relu']\nsizes = ['64']\ntrials = 1\n"),
              HasSubstr("s.toml:2: sizes[0]: '64', wanted D_MODELxD_FF"));
  EXPECT_THAT(error_of(kTwoBlocks + std::string("trials = 1\n"), {"--most-cells", "1"}),
              HasSubstr("2 cells"));
}

TEST_F(Sweep, FilesThatCannotBeReadAreNamed) {
  const Outcome none = gatefold({"sweep", folder_ / "none.toml", "--db", db()});
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("none.toml"));
  const Outcome outcome =
      sweep(kTwoBlocks + std::string("trials = 1\nexport = '") + folder_.path().string() + "'\n");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr(folder_.path().string()));
  EXPECT_FALSE(std::filesystem::exists(db())) << "refused before the work";
}

TEST_F(Sweep, ATargetThatIsNotHereIsUnavailable) {
  if (gf_isa_usable("x86-avx512")) GTEST_SKIP() << "this CPU runs x86-avx512";
  const Outcome outcome = sweep(
      "variants = ['relu']\nsizes = ['64x64']\ndtypes = ['f32']\n"
      "targets = ['x86-avx512']\ntrials = 1\n");
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("cannot run on this CPU"));
}

}  // namespace
}  // namespace gatefold::test
