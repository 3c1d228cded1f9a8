#include "tuning/store.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <set>

#include "spec/error.h"
#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

class StoreTest : public testing::Test {
 protected:
  std::filesystem::path file() { return folder_ / "t.db"; }

  static WorkloadKey key(int threads = 1) {
    WorkloadKey k;
    k.cpu = "a CPU";
    k.ffn = fake_ffn();
    k.threads = threads;
    return k;
  }
  static TrialRecord trial(int mr, TrialKind kind = TrialKind::ok) {
    TrialRecord t;
    t.bucket = {2, 4, 4};
    t.point.mr = mr;
    t.proposer = "random";
    t.result.kind = kind;
    t.result.message = kind == TrialKind::ok ? "" : "it broke";
    t.result.samples = {1.5, kUnknown, 1.25};
    t.result.median_ms = kind == TrialKind::ok ? 1.375 : kUnknown;
    t.result.ratio = 0.9;
    t.result.error = {1e-6, 2e-7, 3e-8};
    t.seed = UINT64_MAX;
    t.code_hash = "abc";
    return t;
  }
  static RaceRecord race(const std::string& packing, int trials) {
    RaceRecord r;
    r.rows = {1, 4};
    r.packing = packing;
    r.trials = trials;
    r.roof = "f32_gflops=1";
    RaceCell cell;
    cell.bucket = {2, RowBucket::kOpen, 4};
    cell.point = "fusion=gated mr=4";
    cell.origin = "tuned";
    cell.median_ms = 2;
    cell.default_ms = 3;
    cell.margin_pct = -0.5;
    cell.bound = "memory";
    r.cells = {cell};
    return r;
  }
  std::string open_error(Store::Open how = Store::Open::create) {
    try {
      Store store(file(), how);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }
  ScratchFolder folder_;
};

TEST_F(StoreTest, KeepsTrialsFromRunToRun) {
  {
    Store store(file(), Store::Open::create);
    const int64_t w = store.workload(key());
    store.add_trial(w, trial(3));
    store.add_trial(w, trial(4, TrialKind::crash));
  }
  Store store(file(), Store::Open::existing);
  Store again(file(), Store::Open::create);
  const std::vector<TrialRecord> trials = again.trials(again.workload(key()));
  ASSERT_EQ(trials.size(), 2u);
  EXPECT_EQ(trials[0].point, trial(3).point);
  EXPECT_EQ(trials[0].bucket.tuned_rows, 4);
  EXPECT_EQ(trials[0].result.samples.size(), 3u);
  EXPECT_TRUE(std::isnan(trials[0].result.samples[1]));
  EXPECT_EQ(trials[0].result.median_ms, 1.375);
  EXPECT_EQ(trials[0].result.error.rel_l2, 2e-7);
  EXPECT_EQ(trials[0].seed, UINT64_MAX);
  EXPECT_EQ(trials[1].result.kind, TrialKind::crash);
  EXPECT_EQ(trials[1].result.message, "it broke");
  EXPECT_TRUE(std::isnan(trials[1].result.median_ms));
}

TEST_F(StoreTest, SameTrialIsStoredOnce) {
  Store store(file(), Store::Open::create);
  const int64_t w = store.workload(key());
  store.add_trial(w, trial(3));
  store.add_trial(w, trial(3, TrialKind::crash));
  ASSERT_EQ(store.trials(w).size(), 1u);
  EXPECT_EQ(store.trials(w)[0].result.kind, TrialKind::ok);
}

TEST_F(StoreTest, WorkloadsAreApart) {
  Store store(file(), Store::Open::create);
  WorkloadKey other_alpha = key(), other_version = key();
  other_alpha.ffn.variant.alpha = 1.5f;
  other_version.generator_version += 1;
  const int64_t one = store.workload(key());
  EXPECT_EQ(store.workload(key()), one);
  EXPECT_NE(store.workload(key(2)), one);
  EXPECT_NE(store.workload(other_alpha), one);
  EXPECT_NE(store.workload(other_version), one);
  store.add_trial(one, trial(3));
  EXPECT_TRUE(store.trials(store.workload(key(2))).empty());
}

TEST_F(StoreTest, EachFieldOfTheKeyCountsByItself) {
  Store store(file(), Store::Open::create);
  std::set<int64_t> seen = {store.workload(key())};
  const auto expect_new = [&](const char* field, const std::function<void(WorkloadKey&)>& edit) {
    WorkloadKey k = key();
    edit(k);
    EXPECT_TRUE(seen.insert(store.workload(k)).second) << field;
  };
  expect_new("cpu", [](WorkloadKey& k) { k.cpu = "another CPU"; });
  expect_new("target", [](WorkloadKey& k) { k.target = Target::x86_avx512; });
  expect_new("dtype", [](WorkloadKey& k) { k.ffn.dtype = DType::bf16; });
  expect_new("act_dtype", [](WorkloadKey& k) { set_dtypes(k.ffn, "bf16_f32"); });
  expect_new("variant", [](WorkloadKey& k) { k.ffn.variant = variant_named("gelu"); });
  expect_new("slope", [](WorkloadKey& k) { k.ffn.variant.slope = 0.5f; });
  expect_new("alpha", [](WorkloadKey& k) { k.ffn.variant.alpha = 0.5f; });
  expect_new("limit", [](WorkloadKey& k) { k.ffn.variant.limit = 7; });
  expect_new("up_offset", [](WorkloadKey& k) { k.ffn.variant.up_offset = 1; });
  expect_new("bias", [](WorkloadKey& k) { k.ffn.bias = true; });
  expect_new("residual", [](WorkloadKey& k) { k.ffn.residual = true; });
  expect_new("d_model", [](WorkloadKey& k) { k.ffn.shape.d_model += 1; });
  expect_new("d_ff", [](WorkloadKey& k) { k.ffn.shape.d_ff += 1; });
  expect_new("threads", [](WorkloadKey& k) { k.threads += 1; });
  expect_new("emulated", [](WorkloadKey& k) { k.emulated = true; });
  expect_new("Halide", [](WorkloadKey& k) { k.halide_version = "21.0.1"; });
  expect_new("generator", [](WorkloadKey& k) { k.generator_version += 1; });
}

TEST_F(StoreTest, RaceOfTheSameRowsIsReplaced) {
  Store store(file(), Store::Open::create);
  const int64_t w = store.workload(key());
  store.save_race(w, race("panel=8", 5));
  store.save_race(w, race("panel=16", 9));
  const auto found = store.race(w, {1, 4});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->packing, "panel=16");
  EXPECT_EQ(found->trials, 9);
  ASSERT_EQ(found->cells.size(), 1u);
  EXPECT_EQ(found->cells[0].default_ms, 3);
  EXPECT_EQ(found->cells[0].margin_pct, -0.5);
  EXPECT_FALSE(found->cells[0].unfused_ms);
  EXPECT_EQ(found->cells[0].bucket.rows_max, RowBucket::kOpen);
  EXPECT_FALSE(store.race(w, {1}));
  ASSERT_EQ(store.races().size(), 1u);
  EXPECT_EQ(store.races()[0].key.ffn.variant.name, "relu");
}

TEST_F(StoreTest, TwoProcessesLoseNothing) {
  constexpr int kEach = 40;
  { Store make(file(), Store::Open::create); }
  pid_t children[2];
  for (int c = 0; c < 2; ++c) {
    children[c] = fork();
    if (children[c] != 0) continue;
    int code = 0;
    try {
      Store store(file(), Store::Open::create);
      const int64_t w = store.workload(key(1 + c));
      for (int i = 0; i < kEach; ++i) store.add_trial(w, trial(i));
    } catch (const std::exception&) {
      code = 1;
    }
    _exit(code);
  }
  for (pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  Store store(file(), Store::Open::existing);
  Store writer(file(), Store::Open::create);
  for (int c = 0; c < 2; ++c)
    EXPECT_EQ(writer.trials(writer.workload(key(1 + c))).size(), size_t{kEach});
}

TEST_F(StoreTest, SurvivesItsWritersDeath) {
  const pid_t child = fork();
  if (child == 0) {
    Store store(file(), Store::Open::create);
    const int64_t w = store.workload(key());
    for (int i = 0; i < 5; ++i) store.add_trial(w, trial(i));
    kill(getpid(), SIGKILL);
  }
  waitpid(child, nullptr, 0);
  Store store(file(), Store::Open::create);
  EXPECT_EQ(store.trials(store.workload(key())).size(), 5u);
}

TEST_F(StoreTest, NotADatabase) {
  std::ofstream(file()) << "these are not trials, but a text of some length";
  EXPECT_THAT(open_error(), HasSubstr("t.db: not a database"));
}

TEST_F(StoreTest, MissingWhereItMustExist) {
  EXPECT_THAT(open_error(Store::Open::existing), HasSubstr("t.db: no such tuning database"));
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(StoreTest, FolderAndUnreachablePath) {
  std::filesystem::create_directory(file());
  EXPECT_THAT(open_error(), HasSubstr("not a regular file"));
  EXPECT_THROW(Store(folder_ / "no" / "such" / "t.db", Store::Open::create), Error);
}

TEST_F(StoreTest, AnotherProgramsDatabaseIsLeftAlone) {
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE songs(name TEXT)");
  EXPECT_THAT(open_error(), HasSubstr("another program's database"));
  SQLite::Database check(file().string(), SQLite::OPEN_READONLY);
  EXPECT_TRUE(check.tableExists("songs"));
  EXPECT_FALSE(check.tableExists("trial"));
}

TEST_F(StoreTest, NewerVersion) {
  { Store make(file(), Store::Open::create); }
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 7");
  EXPECT_THAT(open_error(), HasSubstr("version 7 of the tuning database"));
}

/// A database as it was before there were residuals (version 1) or emulated workers (2), with one
/// workload, trial and race.
class OldStore : public StoreTest, public testing::WithParamInterface<int> {
 protected:
  OldStore() {
    {
      Store store(file(), Store::Open::create);
      store.add_trial(store.workload(key()), trial(3));
      store.save_race(store.workload(key()), race("panel=8", 1));
    }
    const std::string residual = GetParam() == 1 ? "" : "residual, ";
    const std::string columns = "cpu, isa, dtype, variant, parameters, bias, " + residual +
                                "d_model, d_ff, threads, halide_version, generator_version";
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE)
        .exec(
            "CREATE TABLE old(id INTEGER PRIMARY KEY, cpu TEXT NOT NULL, isa TEXT NOT NULL, dtype "
            "TEXT NOT NULL, variant TEXT NOT NULL, parameters TEXT NOT NULL, bias INTEGER NOT "
            "NULL, " +
            (residual.empty() ? residual : "residual INTEGER NOT NULL, ") +
            "d_model INTEGER NOT NULL, d_ff INTEGER NOT NULL, threads INTEGER NOT NULL, "
            "halide_version TEXT NOT NULL, generator_version INTEGER NOT NULL, UNIQUE(" +
            columns + ")) STRICT; INSERT INTO old SELECT id + 40, " + columns +
            " FROM workload; UPDATE trial SET workload = 41; UPDATE race SET workload = 41;"
            "DROP TABLE workload; ALTER TABLE old RENAME TO workload; PRAGMA user_version = " +
            std::to_string(GetParam()));
  }
  int version() {
    return SQLite::Database(file().string(), SQLite::OPEN_READONLY)
        .execAndGet("PRAGMA user_version")
        .getInt();
  }
};

TEST_P(OldStore, IsReadAsItIs) {
  Store store(file(), Store::Open::existing);
  ASSERT_EQ(store.races().size(), 1u);
  EXPECT_FALSE(store.races()[0].key.ffn.residual);
  EXPECT_FALSE(store.races()[0].key.emulated);
  EXPECT_EQ(store.races()[0].race.packing, "panel=8");
  EXPECT_EQ(store.trial_table().rows.size(), 1u);
  EXPECT_EQ(version(), GetParam());
}

TEST_P(OldStore, IsUpgradedWhereItIsWrittenTo) {
  WorkloadKey with_residual = key(), under_emulator = key();
  with_residual.ffn.residual = true;
  under_emulator.emulated = true;
  for (int again = 0; again < 2; ++again) {
    Store store(file(), Store::Open::create);
    const int64_t old = store.workload(key());
    EXPECT_EQ(old, 41) << "what trials and races refer to";
    EXPECT_EQ(store.trials(old).size(), 1u);
    EXPECT_TRUE(store.race(old, {1, 4}));
    for (const WorkloadKey& other : {with_residual, under_emulator}) {
      EXPECT_NE(store.workload(other), old);
      EXPECT_TRUE(store.trials(store.workload(other)).empty());
    }
  }
  EXPECT_EQ(version(), 3);
}

INSTANTIATE_TEST_SUITE_P(Version, OldStore, testing::Values(1, 2));

TEST_F(StoreTest, Truncated) {
  {
    Store store(file(), Store::Open::create);
    const int64_t w = store.workload(key());
    for (int i = 0; i < 200; ++i) store.add_trial(w, trial(i));
  }
  std::filesystem::resize_file(file(), std::filesystem::file_size(file()) / 2);
  EXPECT_THAT(open_error(), HasSubstr("t.db: "));
  std::filesystem::resize_file(file(), 50);
  EXPECT_THAT(open_error(), HasSubstr("t.db: "));
}

TEST_F(StoreTest, EmptyFileIsAFreshOne) {
  std::ofstream(file()).close();
  Store store(file(), Store::Open::create);
  EXPECT_TRUE(store.trials(store.workload(key())).empty());
  EXPECT_TRUE(store.races().empty());
}

TEST_F(StoreTest, EditedTrialIsNamed) {
  {
    Store store(file(), Store::Open::create);
    store.add_trial(store.workload(key()), trial(3));
  }
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE trial SET point = 'fusion=gated mr=many'");
  Store store(file(), Store::Open::create);
  try {
    store.trials(store.workload(key()));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("t.db: trial 1: "));
    EXPECT_THAT(e.what(), HasSubstr("many"));
  }
}

TEST_F(StoreTest, EditedRaceIsNamed) {
  const auto error_after = [&](const std::string& edit) -> std::string {
    std::filesystem::remove(file());
    {
      Store store(file(), Store::Open::create);
      store.save_race(store.workload(key()), race("panel=8", 5));
    }
    SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec(edit);
    try {
      Store(file(), Store::Open::existing).races();
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(error_after("UPDATE winner SET median_ms = NULL"),
              HasSubstr("t.db: race 1: winner of 4 rows: median_ms: null, wanted milliseconds"));
  EXPECT_THAT(error_after("UPDATE winner SET default_ms = -3.0"), HasSubstr("default_ms: -3"));
  EXPECT_THAT(error_after("UPDATE winner SET median_ms = 9e999"), HasSubstr("median_ms: inf"));
  EXPECT_THAT(error_after("UPDATE winner SET point = 'mr=x'"), HasSubstr("point: "));
  EXPECT_THAT(error_after("UPDATE winner SET runner_up = 'x'"), HasSubstr("runner_up: "));
  EXPECT_THAT(error_after("UPDATE winner SET rows = 0"), HasSubstr("rows: 0, wanted 1 to"));
  EXPECT_THAT(error_after("UPDATE race SET packing = 'x'"), HasSubstr("t.db: race 1: packing"));
  EXPECT_THAT(error_after("UPDATE workload SET threads = 4294967297"), HasSubstr("threads: 42949"));
  EXPECT_THAT(error_after("UPDATE workload SET d_ff = -1"), HasSubstr("workload 1: d_ff: -1"));
  EXPECT_THAT(error_after("UPDATE winner SET point = 'x=1'; UPDATE workload SET halide_version "
                          "= '99'"),
              HasSubstr("no error"))
      << "points of other versions may have other tunables";
}

TEST_F(StoreTest, TrialsTimeMustBePositive) {
  {
    Store store(file(), Store::Open::create);
    store.add_trial(store.workload(key()), trial(3));
  }
  SQLite::Database(file().string(), SQLite::OPEN_READWRITE).exec("UPDATE trial SET median_ms = -1");
  Store store(file(), Store::Open::create);
  EXPECT_THROW(store.trials(store.workload(key())), Error);
}

TEST_F(StoreTest, ReadOnlyFileIsAnErrorThatNamesIt) {
  { Store store(file(), Store::Open::create); }
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(file(), std::filesystem::perms(0444));
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && seteuid(kNobody) != 0) _exit(1);  // root may write anything
    std::string error = open_error();
    if (error == "no error") {
      try {
        Store store(file(), Store::Open::create);
        store.workload(key());
      } catch (const Error& e) {
        error = e.what();
      }
    }
    const bool named = error.find(file().string()) != std::string::npos &&
                       error.find("readonly") != std::string::npos;
    _exit(named ? 7 : 2);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(StoreTest, FileSizeLimitIsAnError) {
  const pid_t child = fork();
  if (child == 0) {
    Store store(file(), Store::Open::create);
    const int64_t w = store.workload(key());
    const rlimit limit = {64 << 10, 64 << 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      for (int i = 0; i < 5000; ++i) store.add_trial(w, trial(i));
    } catch (const Error&) {
      _exit(7);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace gatefold::test
