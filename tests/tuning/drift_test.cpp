#include "tuning/drift.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gatefold/gatefold.h"
#include "tests/tuning/fake_tuning.h"

namespace gatefold::test {
namespace {

double drift(std::vector<double> samples) {
  TrialResult anchor;
  anchor.samples = std::move(samples);
  return drift_of(anchor);
}

TEST(Drift, IsWhatTheFastestOfBeginAndEndDifferBy) {
  EXPECT_NEAR(drift({1, 1, 1.2, 1.2}), 0.2, 1e-12);
  EXPECT_NEAR(drift({1.2, 1.2, 1, 1}), 0.2, 1e-12) << "a machine that got faster drifted too";
  EXPECT_NEAR(drift({1, 1.5, 9, 1.5}), 0.5, 1e-12);
}

TEST(Drift, OneDisturbedSampleIsNone) {
  EXPECT_EQ(drift({1, 1, 7, 1}), 0);
  EXPECT_EQ(drift({1, 1, kUnknown, 1, 1}), 0);
}

TEST(Drift, IsNotKnownFromOneSample) {
  EXPECT_EQ(drift({}), 0);
  EXPECT_EQ(drift({3}), 0);
}

/// How often a run had to measure again.
int repeats(const std::vector<std::string>& behaviour_of_the_default) {
  const ScratchFolder folder;
  TuneRequest r = fake_tune_request(folder, 4, [&](Fake& f) {
    f.spend_us = 400;
    if (is_default(f.kernel)) f.behaviour = behaviour_of_the_default;
  });
  int count = 0;
  r.progress = [&](const TuneProgress& p) {
    if (p.phase.find("measuring again: the machine moved by") != std::string::npos) ++count;
  };
  tune(r);
  return count;
}

TEST(Drift, AGroupWhoseCanaryMovedIsTimedAgain) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  EXPECT_GE(repeats({"SLOWING"}), 1);
}

}  // namespace
}  // namespace gatefold::test
