#include "runtime/select.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "runtime/cpu_features.h"
#include "tests/runtime/block.h"

namespace gatefold::test {
namespace {

class Select : public testing::Test {
 protected:
  void SetUp() override { unsetenv("GATEFOLD_ISA"); }
  void TearDown() override { unsetenv("GATEFOLD_ISA"); }
};

gf_status choose(const FakeLibrary& fake, const char* wanted, TargetChoice* choice) {
  return choose_target(fake.table, wanted, choice);
}

TEST_F(Select, TakesTheBestThatRuns) {
  FakeLibrary fake({.targets = {std::begin(kHostTargets), std::end(kHostTargets)}});
  TargetChoice choice;
  ASSERT_EQ(choose(fake, nullptr, &choice), GF_OK);
  EXPECT_STREQ(choice.target, best_target());
  EXPECT_EQ(choice.lower_isa, std::string(best_target()) != kHighestTarget);
  ASSERT_EQ(choose(fake, "host", &choice), GF_OK);
  EXPECT_STREQ(choice.target, best_target());
}

TEST_F(Select, ForcedTargetsMustBeThereAndRun) {
  FakeLibrary fake({.targets = {kLowestTarget}});
  TargetChoice choice;
  EXPECT_EQ(choose(fake, kLowestTarget, &choice), GF_OK);
  EXPECT_FALSE(choice.lower_isa);
  EXPECT_EQ(choose(fake, "no-such-isa", &choice), GF_UNAVAILABLE);
  EXPECT_NE(std::string(gf_last_error()).find("no-such-isa"), std::string::npos);
  for (const char* target : {kSecondTarget, kHighestTarget})
    EXPECT_EQ(choose(fake, target, &choice), GF_UNAVAILABLE) << "usable or not, it is not in here";
}

TEST_F(Select, LibrariesThatThisCpuCannotRun) {
  FakeLibrary fake({.targets = {kForeignTarget}});
  TargetChoice choice;
  EXPECT_EQ(choose(fake, nullptr, &choice), GF_UNAVAILABLE);
  EXPECT_NE(std::string(gf_last_error()).find(kForeignTarget), std::string::npos);
  EXPECT_EQ(choose(fake, kForeignTarget, &choice), GF_UNAVAILABLE);
  EXPECT_NE(std::string(gf_last_error()).find("cannot run on this CPU"), std::string::npos);
}

TEST_F(Select, VariableForcesUnlessTheOptionDoes) {
  FakeLibrary fake({.targets = {kLowestTarget}});
  TargetChoice choice;
  setenv("GATEFOLD_ISA", "no-such-isa", 1);
  EXPECT_EQ(choose(fake, nullptr, &choice), GF_UNAVAILABLE);
  EXPECT_NE(std::string(gf_last_error()).find("GATEFOLD_ISA"), std::string::npos);
  EXPECT_EQ(choose(fake, kLowestTarget, &choice), GF_OK);
  setenv("GATEFOLD_ISA", "", 1);
  EXPECT_EQ(choose(fake, nullptr, &choice), GF_OK);
}

TEST_F(Select, VariableReachesTheReport) {
  Block block({.targets = {kLowestTarget, kSecondTarget}});
  setenv("GATEFOLD_ISA", kLowestTarget, 1);
  EXPECT_STREQ(block.make().report().isa, kLowestTarget);
  setenv("GATEFOLD_ISA", "no-such-isa", 1);
  try {
    block.make();
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.status(), GF_UNAVAILABLE);
  }
}

TEST_F(Select, NearestTunedThreads) {
  FakeLibrary fake({.rows = {1, 2, 3, 4}});
  const int tuned[] = {0, 1, 4, 8};
  for (size_t i = 0; i < 4; ++i) {
    fake.kernels[i].rows_min = 1;
    fake.kernels[i].rows_max = 8;
    fake.kernels[i].tuned_threads = tuned[i];
  }
  const auto nearest = [&](int threads) {
    const auto buckets = choose_kernels(fake.table, kLowestTarget, threads);
    EXPECT_EQ(buckets.size(), 1u);
    return buckets.front().kernel->tuned_threads;
  };
  EXPECT_EQ(nearest(1), 1);
  EXPECT_EQ(nearest(2), 1);
  EXPECT_EQ(nearest(3), 4);
  EXPECT_EQ(nearest(6), 4) << "ties go to the smaller";
  EXPECT_EQ(nearest(64), 8);
}

TEST_F(Select, BucketsAreOfOneTargetAndInOrder) {
  FakeLibrary fake({.rows = {1, 4, 16}, .targets = {kLowestTarget, kSecondTarget}});
  const auto buckets = choose_kernels(fake.table, kSecondTarget, 1);
  ASSERT_EQ(buckets.size(), 3u);
  EXPECT_EQ(buckets[1].rows_min, 2);
  EXPECT_EQ(buckets[1].rows_max, 4);
  EXPECT_STREQ(buckets[2].kernel->target, kSecondTarget);
  EXPECT_EQ(buckets[2].rows_max, INT64_MAX);
}

TEST_F(Select, MatchNames) {
  FakeLibrary fixed, any({.any = true});
  const TargetChoice best{kLowestTarget, false}, lower{kLowestTarget, true};
  EXPECT_STREQ(match_name(fixed.table, best, true), "exact");
  EXPECT_STREQ(match_name(any.table, best, true), "any");
  EXPECT_STREQ(match_name(any.table, lower, true), "lower_isa");
  EXPECT_STREQ(match_name(fixed.table, lower, false), "nearest");
}

TEST_F(Select, RowsOutsideAllBucketsTakeTheNearest) {
  Block block({.rows = {1, 4, 16}});
  block.fake.kernels[0].rows_min = 1;   // 1
  block.fake.kernels[1].rows_min = 10;  // 10-12
  block.fake.kernels[1].rows_max = 12;
  block.fake.kernels[2].rows_min = 20;  // 20-30
  block.fake.kernels[2].rows_max = 30;
  const char* names[] = {"one", "ten", "twenty"};
  for (size_t i = 0; i < 3; ++i) block.fake.kernels[i].name = names[i];
  Ffn ffn = block.make();
  const auto kernel_for = [&](int64_t rows) {
    EXPECT_LE(block.run_and_compare(ffn, rows).worst, 1);
    return std::string(ffn.report().kernel) + " " + ffn.report().match;
  };
  EXPECT_EQ(kernel_for(1), "one exact");
  EXPECT_EQ(kernel_for(3), "one nearest");
  EXPECT_EQ(kernel_for(9), "ten nearest");
  EXPECT_EQ(kernel_for(12), "ten exact");
  EXPECT_EQ(kernel_for(40), "twenty nearest");
}

}  // namespace
}  // namespace gatefold::test
