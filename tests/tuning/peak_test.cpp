// A time that the machine cannot reach is refused, however right the result.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gatefold/gatefold.h"
#include "tests/tuning/fake_tuning.h"

namespace gatefold::test {
namespace {

TEST(Peak, WhatIsFasterThanTheMachineIsInvalidAndDoesNotWin) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU has no AVX2";
  const ScratchFolder folder;
  // The unfused control is no trial, so nothing refuses it; it shall not win either.
  TuneRequest r = fake_tune_request(folder, 4, [](Fake& f) {
    const bool honest = is_default(f.kernel) || f.kernel.point.fusion == Fusion::unfused;
    f.spend_us = honest ? 60000 : 0;
  });
  // Large enough to be cold. By this roof the 4 MB of weights take 40 ms: less than the default
  // takes, and far more than the fourth trial.
  r.ffn.shape = {256, 2048};
  r.rows = {1};
  Roof roof;
  roof.f32_gflops = 1000;
  roof.read_gbps = 4.2e-3 / 0.04;
  r.roof = roof;
  const TuneResult result = tune(r);
  EXPECT_EQ(result.failed, (std::map<std::string, int>{{"invalid", 1}}));
  EXPECT_EQ(result.ok, 3) << "the defaults of three packings";
  EXPECT_EQ(result.race.cells.at(0).origin, "default");
  Store store(r.database, Store::Open::existing);
  for (const TrialRecord& t : store.trials(store.workload(fake_workload(r.ffn)))) {
    if (t.result.kind == TrialKind::ok) continue;
    EXPECT_THAT(t.result.message, testing::HasSubstr("measured peak"));
  }
}

}  // namespace
}  // namespace gatefold::test
