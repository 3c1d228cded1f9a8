// `tune` and `report` through the program: a small block, and Ctrl-C.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "gatefold/gatefold.h"
#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"
#include "tuning/budget.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;
using Arguments = std::vector<std::string>;

Arguments tune(const std::string& db, const Arguments& flags) {
  Arguments all = {"tune",     "--variant", "relu", "--d-model", "64", "--d-ff",
                   "64",       "--dtype",   "f32",  "--rows",    "2",  "--target",
                   "x86-avx2", "--threads", "1",    "--db",      db};
  all.insert(all.end(), flags.begin(), flags.end());
  return all;
}

/// Whether the database holds a finished trial yet.
bool holds_a_trial(const std::string& db) {
  try {
    return SQLite::Database(db).execAndGet("SELECT count(*) FROM trial").getInt() > 0;
  } catch (const SQLite::Exception&) {
    return false;  // not made yet, or being written
  }
}

class Tune : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  }
  TempFolder folder_;
};

TEST_F(Tune, AResidualMakesItAnotherBlock) {
  const std::string db = folder_ / "t.db";
  for (const Arguments& flags : {Arguments{}, Arguments{"--residual"}}) {
    Arguments wanted = {"--trials", "1", "--json"};
    wanted.insert(wanted.end(), flags.begin(), flags.end());
    const Outcome outcome = gatefold(tune(db, wanted));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.json()["failed"].size(), 0u) << outcome.out;
    EXPECT_GT(outcome.json()["measured_now"], 0);
  }
  std::multiset<bool> residuals;
  const auto report = gatefold({"report", "--db", db, "--json"}).json();
  for (const auto& cell : report["cells"]) {
    residuals.insert(cell["residual"].get<bool>());
  }
  EXPECT_THAT(residuals, testing::ElementsAre(false, true));
}

TEST(TuneSpace, IsShownWithoutADatabase) {
  const TempFolder folder;
  const Arguments block = {"tune",   "--space", "--variant", "swiglu",    "--d-model",
                           "512",    "--d-ff",  "1365",      "--dtype",   "f32",
                           "--rows", "1,16",    "--target",  "x86-avx512"};
  Arguments as_json = block;
  as_json.push_back("--json");
  const Outcome outcome = gatefold(as_json);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["run_time"].size(), 0u);
  EXPECT_EQ(json["compile_time"].size(), 10u);
  ASSERT_EQ(json["places"].size(), 4u) << "two packings, two buckets";
  for (const auto& place : json["places"]) {
    int64_t points = place["legal"].get<int64_t>();
    EXPECT_GT(points, 0);
    for (const auto& r : place["refused"]) points += r["points"].get<int64_t>();
    EXPECT_EQ(points, place["product"].get<int64_t>());
    EXPECT_EQ(place["axes"].size(), 10u);
  }
  const Outcome text = gatefold(block);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("run-time tunables: none"));
  EXPECT_THAT(text.out, HasSubstr("legal points of"));
  EXPECT_THAT(text.out, HasSubstr(", wanted "));
}

TEST(TuneSpace, TuningNeedsADatabase) {
  const Outcome outcome = gatefold({"tune", "--preset", "gpt2", "--trials", "1"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--db: missing"));
}

TEST_F(Tune, SearchesReportsAndResumes) {
  const std::string db = folder_ / "t.db", winners = folder_ / "w.json";
  const Outcome first = gatefold(tune(db, {"--trials", "4", "--export", winners, "--json"}));
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const auto json = first.json();
  EXPECT_GE(json["trials"], 4);
  EXPECT_TRUE(json["failed"].is_object());
  ASSERT_EQ(json["cells"].size(), 1u);
  EXPECT_EQ(json["cells"][0]["rows"], 2);
  EXPECT_GT(json["cells"][0]["median_ms"], 0);
  ASSERT_FALSE(json["top"].empty());
  EXPECT_EQ(json["top"][0]["rows"], 2);
  EXPECT_GT(json["top"][0]["screened_ms"], 0);
  EXPECT_LE(json["top"][0]["low_ms"], json["top"][0]["high_ms"]);
  EXPECT_TRUE(json["failures"].empty());
  EXPECT_TRUE(json["importance"][0]["tunables"].contains("mr"));
  EXPECT_EQ(json["shipped_match"], "analytic");

  const auto again = gatefold(tune(db, {"--trials", "4", "--json"})).json();
  EXPECT_EQ(again["trials"], json["trials"]);
  EXPECT_EQ(again["measured_now"], 0);

  const Outcome report = gatefold({"report", "--db", db, "--html", folder_ / "r.html", "--json"});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  const auto cell = report.json()["cells"].at(0);
  EXPECT_EQ(cell["variant"], "relu");
  EXPECT_EQ(cell["rows"], 2);
  EXPECT_EQ(cell["threads"], 1);
  EXPECT_EQ(cell["match"], "cpu");
  EXPECT_EQ(cell["winner"], json["cells"][0]["point"]);
  EXPECT_GE(cell["joint_cost_pct"], 0) << "the defaults of all packings are tried first";
  EXPECT_EQ(cell["joint_cost_pct"], json["cells"][0]["joint_cost_pct"]);
  EXPECT_THAT(content(folder_ / "r.html"), HasSubstr(cell["winner"].get<std::string>()));

  for (const std::string& source : {db, winners}) {
    const Outcome generated =
        gatefold({"generate", "--variant", "relu", "--d-model", "64", "--d-ff", "64", "--dtype",
                  "f32", "--rows", "2", "--target", "x86-avx2", "--schedule", source, "-o",
                  folder_ / "lib", "--json"});
    ASSERT_EQ(generated.exit_code, 0) << generated.err;
    EXPECT_EQ(generated.json()["kernels"][0]["origin"], "tuned");
    EXPECT_EQ(generated.json()["kernels"][0]["match"], "cpu");
    EXPECT_EQ(generated.json()["kernels"][0]["point"], cell["winner"]);
  }
}

TEST_F(Tune, TheEndShowsTheBestTrialsWhatFailedAndWhatMattered) {
  const Outcome outcome = gatefold(tune(folder_ / "t.db", {"--trials", "6"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("the best of the trials"));
  EXPECT_THAT(outcome.out, HasSubstr("tunables that mattered"));
  EXPECT_THAT(outcome.err, HasSubstr("shipped winners: match analytic, no winners of relu 64x64"));
}

TEST_F(Tune, TrialsAreExported) {
  const std::string db = folder_ / "t.db", csv = folder_ / "t.csv", json = folder_ / "t.json";
  ASSERT_EQ(gatefold(tune(db, {"--trials", "3"})).exit_code, 0);
  ASSERT_EQ(gatefold({"report", "--db", db, "--trials", csv}).exit_code, 0);
  ASSERT_EQ(gatefold({"report", "--db", db, "--trials", json}).exit_code, 0);
  EXPECT_THAT(content(csv), testing::StartsWith("cpu,target,dtype,variant,"));
  EXPECT_THAT(content(csv), HasSubstr(",relu,"));
  const auto trials = nlohmann::json::parse(content(json))["trials"];
  EXPECT_GE(trials.size(), 3u);
  EXPECT_EQ(trials[0]["proposer"], "default");
  EXPECT_EQ(trials[0]["kind"], "ok");
  const Outcome wrong = gatefold({"report", "--db", db, "--trials", folder_ / "t.txt"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("t.txt', wanted a file name that ends in .csv or .json"));
  const Outcome nowhere = gatefold({"report", "--db", db, "--trials", folder_ / "no/t.csv"});
  EXPECT_EQ(nowhere.exit_code, 1);
  EXPECT_THAT(nowhere.err, HasSubstr("no/t.csv"));
}

TEST_F(Tune, AWinnersFileWithAnIllegalTileFallsBackWithANote) {
  const std::string db = folder_ / "t.db", winners = folder_ / "w.json";
  ASSERT_EQ(gatefold(tune(db, {"--trials", "3", "--export", winners})).exit_code, 0);
  std::string text = content(winners);
  const std::string word = "\"point\": \"fusion=";
  const size_t tile = text.find(" mr=", text.find(word));
  ASSERT_NE(tile, std::string::npos);
  text.replace(tile, text.find(' ', tile + 1) - tile, " mr=31");
  folder_.file("w.json", text);
  const Outcome outcome = gatefold({"generate", "--variant", "relu", "--d-model", "64", "--d-ff",
                                    "64", "--dtype", "f32", "--rows", "2", "--target", "x86-avx2",
                                    "--schedule", winners, "-o", folder_ / "lib", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.json()["kernels"][0]["origin"], "default");
  EXPECT_EQ(outcome.json()["kernels"][0]["match"], "analytic");
  EXPECT_THAT(outcome.err, HasSubstr("mr=31"));
}

TEST_F(Tune, CtrlCKeepsWhatIsFinished) {
  const std::string db = folder_ / "t.db";
  const RunOptions options{.interrupt_when = [&] { return holds_a_trial(db); }};
  const Outcome outcome = gatefold(tune(db, {"--budget", "10m", "--json"}), options);
  ASSERT_EQ(outcome.exit_code, 130) << outcome.err;
  const auto json = outcome.json();
  EXPECT_EQ(json["interrupted"], true);
  EXPECT_GT(json["trials"], 0);
  const Outcome resumed = gatefold(tune(db, {"--trials", "1", "--json"}));
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_GE(resumed.json()["trials"], json["trials"]);
}

TEST_F(Tune, ARecordedSpaceIsReplayed) {
  const std::string db = folder_ / "t.db", file = folder_ / "s.csv.gz";
  const Outcome tuned =
      gatefold(tune(db, {"--trials", "6", "--strategy", "exhaustive", "--record", file, "--json"}));
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(tuned.json()["trials"], 6);
  const std::string first = content(file);

  const Outcome recorded = gatefold(tune(db, {"--record", file, "--json"}));
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  EXPECT_EQ(recorded.json()["points"], 6);
  EXPECT_EQ(content(file), first) << "nothing was measured in between";

  const Outcome replayed = gatefold(
      {"tune", "--replay", file + "," + file, "--seeds", "2", "--trials", "4,8", "--json"});
  ASSERT_EQ(replayed.exit_code, 0) << replayed.err;
  EXPECT_THAT(replayed.err, HasSubstr("are not in it and answer as failed"));
  const auto json = replayed.json();
  ASSERT_EQ(json["spaces"].size(), 2u);
  EXPECT_EQ(json["spaces"][0]["points"], 6);
  EXPECT_EQ(json["spaces"][0]["rows"], 2);
  std::set<std::pair<std::string, int>> cells;
  for (const auto& cell : json["spaces"][1]["cells"]) {
    cells.emplace(cell["strategy"], cell["trials"]);
    EXPECT_GE(cell["median"], 1);
    EXPECT_GE(cell["p90"], cell["median"]);
  }
  EXPECT_EQ(cells.size(), 10u) << "five strategies at two budgets";

  const Outcome table =
      gatefold({"tune", "--replay", file, "--seeds", "2", "--strategy", "random"});
  EXPECT_THAT(table.out, HasSubstr("6 points, optimum"));
  EXPECT_THAT(table.out, HasSubstr("256 trials"));
  EXPECT_THAT(table.out, HasSubstr("\nrandom "));
}

TEST(Effort, IsANumberOfTrials) {
  EXPECT_EQ(effort_named("quick").trials, 32);
  EXPECT_EQ(effort_named("standard").trials, 128);
  EXPECT_EQ(effort_named("deep").trials, 512);
}

TEST_F(Tune, RecordingWithoutADatabaseOrTrialsFails) {
  const Outcome none = gatefold(tune(folder_ / "t.db", {"--record", folder_ / "s.csv.gz"}));
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_THAT(none.err, HasSubstr("t.db"));
  EXPECT_THAT(folder_.names(), testing::IsEmpty());
}

TEST(Replay, FilesThatAreNoneAreRefused) {
  const TempFolder folder;
  folder.file("s.csv.gz", "packing,point,kind,ms\n");
  const Outcome outcome = gatefold({"tune", "--replay", folder / "s.csv.gz"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("s.csv.gz: no gzip data"));
}

TEST_F(Tune, AnExportThatCannotBeWrittenIsRefusedBeforeTheWork) {
  const std::string db = folder_ / "t.db";
  for (const std::string& file : {folder_.path().string(), (folder_ / "none/w.json").string()}) {
    const Outcome outcome = gatefold(tune(db, {"--trials", "1", "--export", file}));
    EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(file));
    EXPECT_THAT(folder_.names(), testing::IsEmpty());
  }
}

TEST(Report, DatabasesThatAreNotOursAreRefused) {
  const TempFolder folder;
  const auto error = [&](const std::string& file) {
    const Outcome outcome = gatefold({"report", "--db", folder / file});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_THAT(error("none.db"), HasSubstr("none.db"));
  EXPECT_FALSE(std::filesystem::exists(folder / "none.db"));
  folder.file("text.db", "this is text");
  EXPECT_THAT(error("text.db"), HasSubstr("text.db"));
  folder.file("cut.db", "SQLite format 3");
  EXPECT_THAT(error("cut.db"), HasSubstr("cut.db"));
}

}  // namespace
}  // namespace gatefold::test
