#include "tuning/trial_table.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <clocale>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tuning/fake_candidate.h"
#include "tuning/store.h"

namespace gatefold::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class TrialTableTest : public testing::Test {
 protected:
  TrialTableTest() : store_(folder_ / "t.db", Store::Open::create) {}

  void add(int threads, int mr, double ms, const std::string& message = "",
           int64_t rows_max = RowBucket::kOpen) {
    WorkloadKey key;
    key.cpu = "a CPU, with \"quotes\"";
    key.ffn = fake_ffn();
    key.ffn.bias = true;
    key.threads = threads;
    TrialRecord t;
    t.bucket = {1, rows_max, 4};
    t.point.mr = mr;
    t.proposer = "random";
    t.result.kind = message.empty() ? TrialKind::ok : TrialKind::crash;
    t.result.message = message;
    t.result.median_ms = ms;
    t.result.samples = {ms, 1.5};
    store_.add_trial(store_.workload(key), t);
  }

  void execute(const std::string& sql) {
    SQLite::Database(store_.path().string(), SQLite::OPEN_READWRITE).exec(sql);
  }

  ScratchFolder folder_;
  Store store_;
};

TEST_F(TrialTableTest, HasAStableOrderOfColumnsAndRows) {
  add(2, 1, 0.1);
  add(1, 5, 0.2);
  add(2, 3, 0.3);
  const TrialTable table = store_.trial_table();
  EXPECT_THAT(
      table.columns,
      ElementsAre("cpu", "target", "dtype", "variant", "parameters", "bias", "residual", "d_model",
                  "d_ff", "threads", "halide_version", "generator_version", "rows_min", "rows_max",
                  "rows", "packing", "point", "proposer", "kind", "message", "median_ms", "ratio",
                  "max_abs", "rel_l2", "scaled", "disturbed", "samples", "compile_ms", "code_hash",
                  "seed", "at", "emulated"));
  ASSERT_EQ(table.rows.size(), 3u);
  const auto threads = [&](size_t row) { return std::get<int64_t>(table.rows[row][9]); };
  EXPECT_EQ(threads(0), 2);
  EXPECT_EQ(threads(1), 2);
  EXPECT_EQ(threads(2), 1);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(table.rows[0][13])) << "open bucket";
}

TEST_F(TrialTableTest, CsvIsQuotedWhereItMustBe) {
  add(1, 1, 0.25, "line one\nline \"two\", the last");
  const std::string csv = trials_csv(store_.trial_table());
  EXPECT_THAT(csv, StartsWith("cpu,target,dtype,"));
  EXPECT_THAT(csv, HasSubstr("\n\"a CPU, with \"\"quotes\"\"\",x86-avx2,f32,relu,"));
  EXPECT_THAT(csv, HasSubstr(",crash,\"line one\nline \"\"two\"\", the last\",0.25,,,,,0,"));
  EXPECT_THAT(csv, HasSubstr(",\"[0.25,1.5]\","));
  EXPECT_TRUE(csv.ends_with("\n"));
}

TEST_F(TrialTableTest, NumbersReadBackAsTheSameWhateverTheLocale) {
  add(1, 1, 0.1 + 0.2, "", 8);
  const std::string before = setlocale(LC_ALL, nullptr);
  for (const char* locale : {"C", "de_DE.UTF-8", "de_DE"}) {
    if (!setlocale(LC_ALL, locale)) continue;
    EXPECT_THAT(trials_csv(store_.trial_table()), HasSubstr(",0.30000000000000004,")) << locale;
    EXPECT_THAT(trials_json(store_.trial_table()), HasSubstr("0.30000000000000004")) << locale;
  }
  setlocale(LC_ALL, before.c_str());
}

TEST_F(TrialTableTest, JsonHasTheKindsOfTheColumns) {
  add(1, 7, 0.25, "", 8);
  const auto json = nlohmann::json::parse(trials_json(store_.trial_table()));
  EXPECT_EQ(json["format"], "gatefold-trials");
  EXPECT_EQ(json["version"], 1);
  ASSERT_EQ(json["trials"].size(), 1u);
  const auto& trial = json["trials"][0];
  EXPECT_EQ(trial["bias"], true);
  EXPECT_EQ(trial["residual"], false);
  EXPECT_EQ(trial["rows_max"], 8);
  EXPECT_EQ(trial["median_ms"], 0.25);
  EXPECT_EQ(trial["ratio"], nullptr);
  EXPECT_EQ(trial["samples"], nlohmann::json({0.25, 1.5}));
  EXPECT_THAT(trial["point"].get<std::string>(), HasSubstr("mr=7"));
}

TEST_F(TrialTableTest, AnEmptyDatabaseHasAHeadingOnly) {
  const std::string csv = trials_csv(store_.trial_table());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1);
  EXPECT_TRUE(nlohmann::json::parse(trials_json(store_.trial_table()))["trials"].empty());
}

TEST_F(TrialTableTest, TrialsThatCannotBeReadAreShownAsTheyAre) {
  add(1, 1, 0.25);
  execute(
      "UPDATE trial SET point = 'a tunable of tomorrow=1', samples = 'none', kind = 'of tomorrow'");
  EXPECT_THAT(trials_csv(store_.trial_table()), HasSubstr("a tunable of tomorrow=1"));
  const auto json = nlohmann::json::parse(trials_json(store_.trial_table()));
  EXPECT_EQ(json["trials"][0]["samples"], "none");
}

TEST_F(TrialTableTest, TheRateIsOfGapsWithoutPauses) {
  EXPECT_EQ(store_.trial_rate().trials, 0);
  for (int mr = 1; mr <= 5; ++mr) add(1, mr, 0.1);
  execute("UPDATE trial SET at = '2026-01-01 00:00:00' WHERE id = 1");
  execute("UPDATE trial SET at = '2026-01-01 00:00:02' WHERE id = 2");
  execute("UPDATE trial SET at = '2026-01-01 00:00:02' WHERE id = 3");
  execute("UPDATE trial SET at = '2026-01-02 00:00:00' WHERE id = 4");  // a day later
  execute("UPDATE trial SET at = '2026-01-02 00:00:04' WHERE id = 5");
  const TrialRate rate = store_.trial_rate();
  EXPECT_EQ(rate.trials, 3);
  EXPECT_DOUBLE_EQ(rate.seconds, 2);
}

}  // namespace
}  // namespace gatefold::test
