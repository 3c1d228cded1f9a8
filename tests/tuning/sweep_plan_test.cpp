#include "tuning/sweep_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gatefold/gatefold.h"
#include "schedules/space.h"
#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class SweepPlanTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  }

  static SweepFile file() {
    SweepFile f;
    f.variants = {"relu"};
    f.sizes = {{64, 128}};
    f.dtypes = {DType::f32};
    f.targets = {Target::x86_avx2};
    f.rows = {1, 4};
    f.threads = {1};
    f.trials = 10;
    return f;
  }

  static std::vector<std::string> cells(const SweepFile& f) {
    std::vector<std::string> names;
    for (const SweepCell& cell : plan_sweep(f, 1000, "s.toml").cells) names.push_back(cell.text());
    return names;
  }

  static std::string error_of(const SweepFile& f, int64_t most = 1000) {
    try {
      plan_sweep(f, most, "s.toml");
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  }

  static TrialRecord trial(int mr) {
    TrialRecord t;
    t.bucket = row_buckets({1, 4})[1];
    t.packing = legal_packings(cell_of(file()).ffn, Target::x86_avx2).at(0);
    t.point.mr = mr;
    t.proposer = "random";
    t.result.median_ms = 1;
    return t;
  }
  static SweepCell cell_of(const SweepFile& f) { return plan_sweep(f, 1000, "s.toml").cells.at(0); }

  ScratchFolder folder_;
};

TEST_F(SweepPlanTest, IsTheProductOfTheLists) {
  SweepFile f = file();
  f.sizes.push_back({32, 64});
  f.threads = {1, 2};
  EXPECT_EQ(combinations(f), 4);
  EXPECT_THAT(
      cells(f),
      ElementsAre("relu 64x128 f32 on x86-avx2, 1 thread", "relu 64x128 f32 on x86-avx2, 2 threads",
                  "relu 32x64 f32 on x86-avx2, 1 thread", "relu 32x64 f32 on x86-avx2, 2 threads"));
}

TEST_F(SweepPlanTest, PresetsBringTheirSizesAndBiases) {
  SweepFile f = file();
  f.variants.clear();
  f.sizes.clear();
  f.presets = {"gpt2"};
  EXPECT_THAT(cells(f), ElementsAre("gelu_tanh 768x3072 f32 with biases on x86-avx2, 1 thread"));
  f.bias = {false};
  EXPECT_THAT(cells(f), ElementsAre("gelu_tanh 768x3072 f32 on x86-avx2, 1 thread"));
}

TEST_F(SweepPlanTest, TheSameBlockTwiceIsOneCell) {
  SweepFile f = file();
  f.presets = {"gpt2"};
  f.variants = {"gelu_tanh"};
  f.sizes = {{768, 3072}};
  f.bias = {true};
  EXPECT_EQ(combinations(f), 2);
  EXPECT_EQ(cells(f).size(), 1u);
}

TEST_F(SweepPlanTest, IllegalCombinationsAreLeftOutWithTheReason) {
  SweepFile f = file();
  f.dtypes = {DType::f32, DType::bf16};
  f.act_dtypes = {DType::bf16};
  const SweepPlan plan = plan_sweep(f, 1000, "s.toml");
  ASSERT_EQ(plan.cells.size(), 1u);
  EXPECT_EQ(plan.cells[0].ffn.dtype, DType::bf16);
  ASSERT_EQ(plan.left_out.size(), 1u);
  EXPECT_EQ(plan.left_out[0].what, "relu 64x128 f32 with bf16 activations");
  EXPECT_THAT(plan.left_out[0].why, HasSubstr("wanted f32"));
}

TEST_F(SweepPlanTest, SumsInF16AreForWhatHasThem) {
  SweepFile f = file();
  f.dtypes = {DType::f32, DType::f16};
  f.accumulate = {DType::f32, DType::f16};
  EXPECT_EQ(combinations(f), 4);
  const SweepPlan plan = plan_sweep(f, 1000, "s.toml");
  ASSERT_EQ(plan.cells.size(), 2u);
  EXPECT_EQ(plan.cells[1].ffn.dtypes(), "f16");
  ASSERT_EQ(plan.left_out.size(), 2u) << "f32 weights have none, nor has AVX2";
  EXPECT_EQ(plan.left_out[0].what, "relu 64x128 f32 with sums in f16");
  EXPECT_THAT(plan.left_out[0].why, HasSubstr("accumulate: 'f16' with weights in f32"));
  EXPECT_THAT(plan.left_out[1].what, HasSubstr("relu 64x128 f16_acc16 on x86-avx2"));
}

TEST_F(SweepPlanTest, BlocksThatAreTooLargeAreLeftOut) {
  SweepFile f = file();
  f.sizes.push_back({1 << 16, 1 << 15});
  const SweepPlan plan = plan_sweep(f, 1000, "s.toml");
  EXPECT_EQ(plan.cells.size(), 1u);
  EXPECT_THAT(plan.left_out.at(0).why, HasSubstr("d_model * d_ff = 2147483648"));
  f.sizes = {{1 << 16, 1 << 15}};
  EXPECT_THAT(error_of(f), StartsWith("s.toml: none of 1 combinations can be tuned here"));
}

TEST_F(SweepPlanTest, AMillionCellsAreCountedAndRefused) {
  SweepFile f = file();
  f.sizes.clear();
  for (int i = 1; i <= 1000; ++i) f.sizes.push_back({64, i});
  f.threads.clear();
  for (int i = 1; i <= 1000; ++i) f.threads.push_back(i);
  EXPECT_EQ(combinations(f), 1000000);
  const std::string error = error_of(f);
  EXPECT_THAT(error, HasSubstr("1000000 cells, which take 289 days or more"));
  EXPECT_THAT(error, HasSubstr("wanted at most 1000 (--most-cells allows more)"));
}

TEST_F(SweepPlanTest, NoProductOverflows) {
  SweepFile f = file();
  f.sizes.assign(10000, {64, 64});
  f.variants.assign(10000, "relu");
  f.threads.assign(10000, 1);
  f.dtypes.assign(10000, DType::f32);
  f.targets.assign(10000, Target::x86_avx2);
  EXPECT_GT(combinations(f), int64_t{1} << 40);
  EXPECT_THAT(error_of(f, int64_t{1} << 40), HasSubstr("cells"));
}

TEST_F(SweepPlanTest, TimeIsAGuessUntilTrialsWereStored) {
  SweepFile f = file();
  f.threads = {1, 2};
  const SweepPlan plan = plan_sweep(f, 1000, "s.toml");
  const SweepWork work = work_left(plan, f, "a CPU", nullptr);
  EXPECT_EQ(work.finished, 0);
  EXPECT_EQ(work.trials, 20);
  EXPECT_EQ(work.rate.trials, 0);
  EXPECT_DOUBLE_EQ(work.seconds, 20 * work.rate.seconds + 2 * kRaceSeconds);
  // Two cells with two row counts within a factor of four: each may get any winner.
  EXPECT_EQ(work.transfers, 16);
  f.transfer = false;
  EXPECT_EQ(work_left(plan, f, "a CPU", nullptr).transfers, 0);
  f.budget_s = 100;
  f.trials.reset();
  EXPECT_EQ(work_left(plan, f, "a CPU", nullptr).seconds, 200);
}

TEST_F(SweepPlanTest, WhatIsStoredNeedNotBeDoneAgain) {
  SweepFile f = file();
  f.trials = 2;
  const SweepPlan plan = plan_sweep(f, 1000, "s.toml");
  Store store(folder_ / "t.db", Store::Open::create);
  const int64_t workload = store.workload(workload_of(plan.cells[0], "a CPU"));
  store.add_trial(workload, trial(1));
  TrialRecord elsewhere = trial(2);
  elsewhere.bucket = row_buckets({7})[0];
  store.add_trial(workload, elsewhere);
  EXPECT_EQ(work_left(plan, f, "a CPU", &store).trials, 1) << "other rows do not count";
  RaceRecord race;
  race.rows = {1, 4};
  race.packing = trial(1).packing.text();
  store.save_race(workload, race);
  EXPECT_FALSE(finished(store, plan.cells[0], plan, f, "a CPU")) << "one trial is missing";
  store.add_trial(workload, trial(3));
  EXPECT_TRUE(finished(store, plan.cells[0], plan, f, "a CPU"));
  EXPECT_FALSE(finished(store, plan.cells[0], plan, f, "another CPU"));
  const SweepWork work = work_left(plan, f, "a CPU", &store);
  EXPECT_EQ(work.finished, 1);
  EXPECT_EQ(work.trials, 0);
  EXPECT_EQ(work.seconds, 0);
}

}  // namespace
}  // namespace gatefold::test
