#include "tuning/self_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "tests/tuning/fake_tuning.h"

namespace gatefold::test {
namespace {

Paired paired(double ratio, double low, double high) {
  Paired p;
  p.ratio = ratio;
  p.low = low;
  p.high = high;
  return p;
}

TEST(SelfTest, ClaimsWhatTheIntervalExcludesAndMatters) {
  EXPECT_TRUE(claims_difference(paired(1.02, 1.01, 1.03)));
  EXPECT_TRUE(claims_difference(paired(0.98, 0.97, 0.99)));
  EXPECT_FALSE(claims_difference(paired(1.02, 0.99, 1.05))) << "may be none";
  EXPECT_FALSE(claims_difference(paired(1.005, 1.001, 1.009))) << "too small to matter";
  EXPECT_FALSE(claims_difference(paired(1, 0, INFINITY)));
}

TEST(SelfTest, RacesTwoCopiesOfOneLibrary) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  const ScratchFolder folder;
  int built = 0;
  TuneRequest r = fake_tune_request(folder, 1, [&](Fake& f) {
    ++built;
    f.spend_us = 500;
  });
  const std::optional<SelfTest> test = self_test(r);
  ASSERT_TRUE(test);
  EXPECT_EQ(built, 1);
  EXPECT_GE(test->paired.rounds, 5u);
  EXPECT_GT(test->median_ms, 0.4);
  EXPECT_FALSE(std::filesystem::exists(r.database)) << "nothing is stored";
}

TEST(SelfTest, ADefaultThatFailsIsAnError) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  const ScratchFolder folder;
  const TuneRequest r = fake_tune_request(folder, 1, [](Fake& f) { f.behaviour = {"CRASH"}; });
  try {
    self_test(r);
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("crash"));
  }
}

}  // namespace
}  // namespace gatefold::test
