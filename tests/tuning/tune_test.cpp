#include "tuning/tune.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <thread>

#include "gatefold/gatefold.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "tests/tuning/fake_tuning.h"
#include "tuning/strategy.h"
#include "tuning/winners.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

/// A tuner whose compiler makes fakes: what each does is decided by its kernel.
class Tune : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  }

  TuneRequest request(int trials, std::vector<int64_t> rows = {2}) {
    TuneRequest r = fake_tune_request(folder_, trials, [this](Fake& wanted) {
      {
        const std::lock_guard lock(mutex_);
        compiled_.insert(wanted.kernel.point.text());
        ++compilations_;
      }
      behave_(wanted);
    });
    r.rows = std::move(rows);
    r.strategy = kDefaultStrategy;
    return r;
  }

  /// From now on candidates of the returned packing run faster than all others.
  Packing another_packing_is_faster() {
    const Packing other = legal_packings(fake_ffn(), Target::x86_avx2).at(1);
    behave_ = [other](Fake& f) { f.spend_us = f.kernel.packing == other ? 100 : 2000; };
    return other;
  }

  static std::string error_of(const TuneRequest& r) {
    try {
      tune(r);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

  std::vector<TrialRecord> stored_trials() {
    Store store(folder_ / "t.db", Store::Open::create);
    return store.trials(store.workload(fake_workload()));
  }

  std::set<std::string> stored_points() {
    std::set<std::string> points;
    for (const TrialRecord& t : stored_trials()) points.insert(t.packing.text() + t.point.text());
    return points;
  }

  ScratchFolder folder_;
  std::function<void(Fake&)> behave_ = [](Fake& f) { f.spend_us = 300; };
  std::mutex mutex_;
  std::set<std::string> compiled_;
  int compilations_ = 0;
};

TEST_F(Tune, FasterPointWinsAndIsUsed) {
  behave_ = [](Fake& f) { f.spend_us = f.kernel.point.xpack == 0 ? 200 : 2000; };
  const TuneResult result = tune(request(14, {2, 8}));
  EXPECT_EQ(result.trials, 14);
  ASSERT_EQ(result.race.cells.size(), 2u);
  for (const RaceCell& cell : result.race.cells) {
    EXPECT_EQ(cell.origin, "tuned");
    EXPECT_THAT(cell.point, HasSubstr("xpack=0"));
    EXPECT_GT(*speedup_of(cell), 2);
    EXPECT_LT(*cell.ratio_low, 0.5);
    EXPECT_TRUE(cell.unfused_ms);
    EXPECT_FALSE(cell.runner_up.empty());
  }
  EXPECT_GT(*result.speedup, 2);
  const Schedule schedule = schedule_from_winners(load_winners(folder_ / "t.db"),
                                                  {fake_ffn(), Target::x86_avx2, "a CPU", false},
                                                  {2, 8}, cpu_profile_named("generic"));
  ASSERT_EQ(schedule.kernels.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(schedule.kernels[i].record.origin, "tuned");
    EXPECT_EQ(schedule.kernels[i].spec.point.text(), result.race.cells[i].point);
  }
}

TEST_F(Tune, FasterPackingWinsForAllBuckets) {
  const Packing other = legal_packings(fake_ffn(), Target::x86_avx2).at(1);
  behave_ = [&](Fake& f) { f.spend_us = f.kernel.packing == other ? 200 : 2000; };
  const TuneResult result = tune(request(8, {2, 8}));
  EXPECT_EQ(result.race.packing, other.text());
  for (const RaceCell& cell : result.race.cells) {
    EXPECT_EQ(cell.origin, "tuned");
    EXPECT_EQ(cell.joint_cost_pct, 0);
  }
  EXPECT_GT(*result.speedup, 2);
}

TEST_F(Tune, ABucketThatWouldBeFasterUnderAnotherPackingSaysWhatTheJointOneCosts) {
  const std::vector<Packing> packings = legal_packings(fake_ffn(), Target::x86_avx2);
  // The mean favours packing 1, but 8 rows would lose: the race keeps packing 0 for both.
  behave_ = [&](Fake& f) {
    const bool few = f.kernel.rows.tuned_rows == 2;
    f.spend_us = f.kernel.packing == packings[0]   ? (few ? 4000 : 200)
                 : f.kernel.packing == packings[1] ? (few ? 100 : 1000)
                                                   : 6000;
  };
  const TuneResult result = tune(request(10, {2, 8}));
  EXPECT_EQ(result.race.packing, packings[0].text());
  ASSERT_EQ(result.race.cells.size(), 2u);
  EXPECT_GT(result.race.cells[0].joint_cost_pct.value(), 300);
  EXPECT_EQ(result.race.cells[1].joint_cost_pct, 0);
}

TEST_F(Tune, DefaultIsKeptWhereNothingIsFaster) {
  behave_ = [](Fake& f) { f.spend_us = is_default(f.kernel) ? 200 : 2000; };
  const TuneResult result = tune(request(6));
  EXPECT_EQ(result.race.cells.at(0).origin, "default");
  EXPECT_EQ(*result.speedup, 1);
}

TEST_F(Tune, FinishedRunIsNotMeasuredAgain) {
  const TuneResult first = tune(request(5));
  EXPECT_EQ(first.measured_now, 5);
  EXPECT_FALSE(first.race_reused);
  compilations_ = 0;
  const TuneResult second = tune(request(5));
  EXPECT_EQ(compilations_, 0);
  EXPECT_EQ(second.measured_now, 0);
  EXPECT_EQ(second.trials, 5);
  EXPECT_TRUE(second.race_reused);
  EXPECT_EQ(second.race.cells.at(0).median_ms, first.race.cells.at(0).median_ms);
}

TEST_F(Tune, ResumedRunProposesWhatAnUndisturbedOneDoes) {
  // The other packings so far behind that no disturbance brings them back into the search.
  const Packing first = legal_packings(fake_ffn(), Target::x86_avx2).at(0);
  behave_ = [&](Fake& f) { f.spend_us = f.kernel.packing == first ? 100 : 3000; };
  // A strategy that does not ask for the exact times, which are never the same twice.
  const auto random = [&](int trials) {
    TuneRequest r = request(trials);
    r.strategy = "random";
    return r;
  };
  tune(random(5));
  const TuneResult resumed = tune(random(9));
  EXPECT_EQ(resumed.measured_now, 4);
  EXPECT_EQ(resumed.trials, 9);
  const std::set<std::string> in_two_runs = stored_points();
  std::filesystem::remove(folder_ / "t.db");
  tune(random(9));
  EXPECT_EQ(stored_points(), in_two_runs);
}

TEST_F(Tune, FailuresAreRecordedAndNeverWin) {
  // Everything but the default fails, in turn, and would be much faster.
  std::atomic<int> number{0};
  behave_ = [&](Fake& f) {
    f.spend_us = is_default(f.kernel) ? 500 : 0;
    if (is_default(f.kernel)) return;
    switch (number++ % 4) {
      case 0:
        f.behaviour = {"CRASH"};
        return;
      case 1:
        f.behaviour = {"WRONG_LAST_COLUMN"};
        return;
      case 2:
        throw EmitFailure(EmitFailure::Kind::timeout, "took too long");
      default:
        throw EmitFailure(EmitFailure::Kind::error, "does not compile");
    }
  };
  const TuneResult result = tune(request(11));
  EXPECT_EQ(result.trials, 11);
  EXPECT_EQ(result.race.cells.at(0).origin, "default");
  EXPECT_EQ(result.ok, 3);  // the defaults of three packings
  EXPECT_EQ(result.failed.at("crash"), 2);
  EXPECT_EQ(result.failed.at("wrong_result"), 2);
  EXPECT_EQ(result.failed.at("compile_timeout"), 2);
  EXPECT_EQ(result.failed.at("compile_error"), 2);
}

TEST_F(Tune, WhatIsNoKernelsFaultEndsTheRunAndIsNoTrial) {
  std::atomic<int> number{0};
  behave_ = [&](Fake&) {
    if (++number > 3) fail("the linker is gone");
  };
  EXPECT_THAT(error_of(request(12)), HasSubstr("the linker is gone"));
  for (const TrialRecord& t : stored_trials()) EXPECT_EQ(t.result.kind, TrialKind::ok);
}

TEST_F(Tune, CompilerWithoutRoomForItsOutputIsNoTrial) {
  TuneRequest r = request(4);
  r.builder.build = [](const LibraryPlan&, const LibraryOptions& options) -> std::filesystem::path {
    std::filesystem::remove_all(options.directory.parent_path());
    throw EmitFailure(EmitFailure::Kind::error, "cannot write the object");
  };
  EXPECT_THAT(error_of(r), HasSubstr("no room"));
  EXPECT_TRUE(stored_trials().empty());
}

TEST_F(Tune, WorkerWithoutMemoryIsNoTrial) {
  TuneRequest r = request(4);
  r.worker = {"/bin/sh", "-c",
              "read line; echo '{\"reply\":\"error\",\"message\":\"out of memory\"}'"};
  EXPECT_THAT(error_of(r), HasSubstr("out of memory"));
  EXPECT_TRUE(stored_trials().empty());
}

TEST_F(Tune, MissingToolIsSaidBeforeAnythingIsMade) {
  const std::string path = getenv("PATH");
  setenv("PATH", folder_.path().c_str(), 1);
  const std::string error = error_of(request(4));
  setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(error, HasSubstr("'cc' is not on the PATH"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "t.db"));
}

TEST_F(Tune, NothingThatRunsIsAnError) {
  behave_ = [](Fake& f) { f.behaviour = {"NOTHING"}; };
  try {
    tune(request(4));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::failed);
    EXPECT_THAT(e.what(), HasSubstr("no candidate ran"));
    EXPECT_THAT(e.what(), HasSubstr("wrong_result"));
  }
  EXPECT_TRUE(load_winners(folder_ / "t.db").empty());
}

TEST_F(Tune, StopKeepsFinishedTrials) {
  std::atomic<bool> stop{false};
  TuneRequest r = request(50);
  r.stop = &stop;
  r.progress = [&](const TuneProgress& p) {
    if (p.trials >= 6) stop = true;
  };
  const TuneResult result = tune(r);
  EXPECT_TRUE(result.interrupted);
  EXPECT_GE(result.trials, 6);
  EXPECT_LT(result.trials, 50);
  EXPECT_EQ(stored_points().size(), static_cast<size_t>(result.trials));
  EXPECT_TRUE(result.race.cells.empty());
}

TEST_F(Tune, StopEndsRunningCompilers) {
  const auto emitter = folder_ / "emitter";
  std::ofstream(emitter) << "#!/bin/sh\ntouch " << (folder_ / "began").string() << "\nsleep 600\n";
  std::filesystem::permissions(emitter, std::filesystem::perms::owner_all);
  std::atomic<bool> stop{false};
  TuneRequest r = request(4);
  r.stop = &stop;
  r.builder.emitter = emitter;
  r.builder.build = build_library;
  r.builder.timeout_s = 20;
  std::thread later([&] {
    while (!std::filesystem::exists(folder_ / "began")) std::this_thread::yield();
    stop = true;
  });
  const TuneResult result = tune(r);
  later.join();
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(stored_trials().empty()) << "none ran into its time limit";
}

TEST_F(Tune, SeedIsOfTheDataToo) {
  TuneRequest r = request(4);
  const std::string file = (folder_ / "asked").string();
  r.worker = {"/bin/sh", "-c",
              "read -r line; echo \"$line\" | " + worker_program() +
                  "; read -r line; printf %s \"$line\" > " + file};
  error_of(r);
  std::ifstream asked(file);
  const std::string line((std::istreambuf_iterator<char>(asked)), {});
  EXPECT_THAT(line, HasSubstr("\"seed\":11"));
}

TEST_F(Tune, SmallestBudgetStillComparesWithTheDefault) {
  TuneRequest r = request(1, {2, 8});
  r.trials.reset();
  r.budget_s = 0.001;
  const TuneResult result = tune(r);
  EXPECT_EQ(result.trials, 2) << "the default of each bucket";
  EXPECT_EQ(result.race.cells.size(), 2u);
  EXPECT_TRUE(result.speedup);
}

TEST_F(Tune, OtherThreadCountsKeepThePacking) {
  const Packing other = another_packing_is_faster();
  const TuneResult first = tune(request(4));
  TuneRequest two = request(4);
  two.threads = 2;
  const TuneResult result = tune(two);
  EXPECT_EQ(result.race.packing, other.text());
  ASSERT_EQ(result.notes.size(), 1u);
  EXPECT_THAT(result.notes[0], HasSubstr("as tuned for 1 thread"));
  EXPECT_EQ(result.race.cells.at(0).default_point, first.race.cells.at(0).default_point);
  EXPECT_FALSE(result.race.cells[0].joint_cost_pct) << "no other packing was tried with 2 threads";
}

TEST_F(Tune, RepeatedCommandMeasuresNothingThoughOtherThreadCountsWereTuned) {
  another_packing_is_faster();
  const TuneResult first = tune(request(5));
  TuneRequest two = request(4);
  two.threads = 2;
  tune(two);
  compilations_ = 0;
  const TuneResult again = tune(request(5));
  EXPECT_EQ(compilations_, 0);
  EXPECT_EQ(again.trials, 5);
  EXPECT_TRUE(again.race_reused);
  EXPECT_EQ(again.race.cells.at(0).default_ms, first.race.cells.at(0).default_ms);
  EXPECT_EQ(again.race.packing, first.race.packing);
}

TEST_F(Tune, OtherParametersAreAnotherBlock) {
  another_packing_is_faster();
  tune(request(4));
  TuneRequest r = request(4);
  r.threads = 2;
  r.ffn.variant.slope = 0.5f;
  EXPECT_THAT(tune(r).notes, testing::IsEmpty());
}

TEST_F(Tune, EqualCodeIsMeasuredOnce) {
  // The point's text is not in these: one file for all points of a packing.
  behave_ = [](Fake& f) {
    SchedulePoint same;
    same.streams = 1;
    f.kernel.point = same;
  };
  tune(request(9));
  std::set<std::string> codes;
  std::set<double> medians;
  for (const TrialRecord& t : stored_trials()) {
    codes.insert(t.code_hash);
    medians.insert(t.result.median_ms);
  }
  EXPECT_EQ(stored_trials().size(), 9u);
  EXPECT_LT(medians.size(), 9u);
  EXPECT_LE(codes.size(), 3u);
}

TEST_F(Tune, WrongRequests) {
  TuneRequest r = request(1);
  r.ffn.shape.d_ff = Shape::kAny;
  EXPECT_THAT(error_of(r), HasSubstr("40xany"));
  r = request(0);
  EXPECT_THAT(error_of(r), HasSubstr("--trials: 0"));
  r = request(1);
  r.trials.reset();
  EXPECT_THAT(error_of(r), HasSubstr("neither --budget nor --trials"));
  r.budget_s = -1;
  EXPECT_THAT(error_of(r), HasSubstr("--budget"));
  r = request(1, {});
  EXPECT_THAT(error_of(r), HasSubstr("--rows"));
  r = request(1);
  r.strategy = "clever";
  EXPECT_THAT(error_of(r), HasSubstr("clever"));
  r = request(1);
  r.ffn.shape = {1 << 16, 1 << 15};
  EXPECT_THAT(error_of(r), HasSubstr("d_model * d_ff = 2147483648, wanted less"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "t.db")) << "nothing is made for a wrong request";
  r = request(1);
  r.worker = {(folder_ / "gone").string()};
  EXPECT_THAT(error_of(r), HasSubstr("gone"));
}

}  // namespace
}  // namespace gatefold::test
