#include "tuning/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "tests/tuning/fake_tuning.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

/// Sweeps over two shapes whose compiler makes fakes.
class SweepRun : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
    request_.file.variants = {"relu"};
    request_.file.sizes = {{40, 56}, {56, 40}};  // what is legal for one is legal for the other
    request_.file.dtypes = {DType::f32};
    request_.file.targets = {Target::x86_avx2};
    request_.file.rows = {4};
    request_.file.threads = {1};
    request_.file.trials = 6;
    request_.file.strategy = "random";
    request_.file.seed = 11;
    request_.base = base();
  }

  /// Block, trials and strategy come from the sweep's file.
  TuneRequest base() {
    return fake_tune_request(folder_, 1, [this](Fake& wanted) {
      wanted.spend_us = 300;
      behave_(wanted);
      ++compilations_;
    });
  }

  SweepResult run() {
    request_.plan = plan_sweep(request_.file, 1000, "s.toml");
    return run_sweep(request_);
  }

  std::vector<std::string> proposers(const SweepCell& cell) {
    Store store(folder_ / "t.db", Store::Open::create);
    std::vector<std::string> names;
    for (const TrialRecord& t : store.trials(store.workload(workload_of(cell, "a CPU")))) {
      names.push_back(t.proposer);
    }
    return names;
  }

  ScratchFolder folder_;
  SweepRequest request_;
  std::function<void(Fake&)> behave_ = [](Fake&) {};
  std::atomic<int> compilations_{0};
};

TEST_F(SweepRun, TunesEveryCellAndTriesTheWinnersInTheOthers) {
  // Each shape is fast with another tile, which the other's search need not have tried.
  behave_ = [](Fake& f) {
    const bool fast = f.kernel.point.xpack == (f.kernel.ffn.shape.d_model == 40 ? 0 : 1);
    f.spend_us = fast ? 300 : 2000;
  };
  SweepResult result = run();
  ASSERT_EQ(result.cells.size(), 2u);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.failed(), 0);
  for (const SweepCellResult& c : result.cells) {
    ASSERT_TRUE(c.race);
    EXPECT_GE(c.measured_now, 6);
    EXPECT_EQ(c.race->race.cells.size(), 1u);
    EXPECT_EQ(std::ranges::count(proposers(c.cell), "transfer"), c.transfers);
  }
  Store store(folder_ / "t.db", Store::Open::existing);
  const std::vector<MeasuredCell> cells = measured_cells(store, result);
  ASSERT_EQ(cells.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(cells[i].ms.contains(cells[1 - i].winner)) << "the other's winner has a time here";
  }
  const std::vector<LeftOneOut> table = leave_one_out(cells);
  ASSERT_EQ(table.size(), 2u);
  for (const LeftOneOut& line : table) EXPECT_TRUE(line.ratio());
}

TEST_F(SweepRun, FinishedCellsAreNotMeasuredAgain) {
  run();
  compilations_ = 0;
  const SweepResult again = run();
  EXPECT_EQ(compilations_, 0);
  for (const SweepCellResult& c : again.cells) {
    EXPECT_TRUE(c.known);
    EXPECT_EQ(c.measured_now, 0);
    EXPECT_EQ(c.transfers, 0);
    EXPECT_TRUE(c.race);
  }
}

TEST_F(SweepRun, MoreTrialsGoOnWhereTheSweepEnded) {
  run();
  request_.file.trials = 8;
  const SweepResult more = run();
  for (const SweepCellResult& c : more.cells) {
    EXPECT_FALSE(c.known);
    EXPECT_LE(c.measured_now, 2);
  }
}

TEST_F(SweepRun, GoesOnAfterAFailedCell) {
  behave_ = [](Fake& f) {
    if (f.kernel.ffn.shape.d_model == 40) f.behaviour = {"CRASH"};
  };
  const SweepResult result = run();
  EXPECT_EQ(result.failed(), 1);
  EXPECT_THAT(result.cells[0].error, HasSubstr("no candidate ran"));
  EXPECT_FALSE(result.cells[0].race);
  EXPECT_EQ(result.cells[1].error, "");
  EXPECT_TRUE(result.cells[1].race);
}

TEST_F(SweepRun, AStopKeepsFinishedCells) {
  std::atomic<bool> stop{false};
  request_.base.stop = &stop;
  bool later = false;
  request_.progress = [&](const SweepProgress& p) {
    EXPECT_EQ(p.cells, 2u);
    EXPECT_GE(p.seconds_left, 0);
    if (p.cell == 2 && p.tune.trials > 0) stop = later = true;
  };
  const SweepResult result = run();
  EXPECT_TRUE(later);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.failed(), 0);
  EXPECT_TRUE(result.cells[0].race);
  EXPECT_FALSE(result.cells[1].race);
  stop = false;
  request_.progress = {};
  const SweepResult resumed = run();
  EXPECT_TRUE(resumed.cells[0].known);
  EXPECT_TRUE(resumed.cells[1].race);
}

TEST_F(SweepRun, ATransferThatLeadsIsRacedAgain) {
  // The first cell's winner is none of its first trials, which are also the second cell's.
  const std::vector<Shape> both = request_.file.sizes;
  request_.file.sizes = {both[0]};
  request_.file.trials = 5;
  std::atomic<bool> faster{false};
  behave_ = [&](Fake& f) { f.spend_us = faster && f.kernel.point.xpack == 0 ? 200 : 2000; };
  run();
  request_.file.trials = 16;
  faster = true;
  run();
  // While the second cell is searched nothing is fast in it; then that winner is.
  request_.file.sizes = both;
  request_.file.trials = 5;
  faster = false;
  request_.progress = [&](const SweepProgress& p) {
    if (p.what.starts_with("winners")) faster = true;
  };
  const SweepResult result = run();
  ASSERT_TRUE(result.cells[0].known && result.cells[1].race);
  EXPECT_THAT(result.cells[0].race->race.cells.at(0).point, HasSubstr("xpack=0"));
  ASSERT_GT(result.cells[1].transfers, 0);
  EXPECT_EQ(result.cells[1].race->race.cells.at(0).origin, "tuned");
  EXPECT_THAT(result.cells[1].race->race.cells.at(0).point, HasSubstr("xpack=0"));
}

TEST_F(SweepRun, WithoutTransferNothingMoreIsTried) {
  request_.file.transfer = false;
  const SweepResult result = run();
  for (const SweepCellResult& c : result.cells) {
    EXPECT_EQ(std::ranges::count(proposers(c.cell), "transfer"), 0);
  }
}

TEST_F(SweepRun, ABudgetIsOfEachCellAndSpentOnce) {
  request_.file.trials.reset();
  request_.file.budget_s = 0.001;
  request_.file.transfer = false;
  const SweepResult first = run();
  for (const SweepCellResult& c : first.cells) EXPECT_EQ(c.measured_now, 1) << "the default";
  compilations_ = 0;
  run();
  EXPECT_EQ(compilations_, 0);
}

}  // namespace
}  // namespace gatefold::test
