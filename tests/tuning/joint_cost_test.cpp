#include "tuning/joint_cost.h"

#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

class JointCost : public testing::Test {
 protected:
  static TrialRecord trial(size_t packing, double ms, double ratio, int mr,
                           TrialKind kind = TrialKind::ok) {
    TrialRecord t;
    t.bucket = row_buckets({2, 8})[0];
    t.packing = packings().at(packing);
    t.point.mr = mr;
    t.proposer = mr == 1 ? "default" : "random";
    t.result.kind = kind;
    t.result.median_ms = ms;
    t.result.ratio = ratio;
    return t;
  }

  static std::vector<Packing> packings() { return legal_packings(fake_ffn(), Target::x86_avx2); }

  static RaceRecord race(size_t packing) {
    RaceRecord race;
    race.rows = {2, 8};
    race.packing = packings().at(packing).text();
    for (const RowBucket& bucket : row_buckets(race.rows)) {
      RaceCell cell;
      cell.bucket = bucket;
      cell.point = cell.default_point = SchedulePoint{}.text();
      cell.origin = "default";
      cell.median_ms = 1;
      race.cells.push_back(cell);
    }
    return race;
  }

  /// Of 2 rows.
  static std::optional<double> cost(size_t packing, const std::vector<TrialRecord>& trials) {
    RaceRecord r = race(packing);
    add_joint_costs(r, trials);
    return r.cells[0].joint_cost_pct;
  }
};

TEST_F(JointCost, BestUnderTheSharedPackingAgainstBestUnderAny) {
  const std::vector<TrialRecord> trials = {trial(0, 10, 1, 1), trial(0, 6, 0.6, 2),
                                           trial(1, 8, 1, 1), trial(1, 4, 0.5, 2)};
  EXPECT_DOUBLE_EQ(cost(0, trials).value(), 50);
  EXPECT_EQ(cost(1, trials), 0);
}

TEST_F(JointCost, RatiosCountNotTheTimesOfASlowHour) {
  // The last one was measured while everything took twice as long.
  const std::vector<TrialRecord> trials = {trial(0, 10, 1, 1), trial(1, 10, 1, 1),
                                           trial(1, 16, 0.8, 2)};
  EXPECT_DOUBLE_EQ(cost(0, trials).value(), 25);
}

TEST_F(JointCost, UnknownWithoutTwoPackingsThatRan) {
  EXPECT_FALSE(cost(0, {}));
  EXPECT_FALSE(cost(0, {trial(0, 10, 1, 1)}));
  EXPECT_FALSE(cost(0, {trial(0, 10, 1, 1), trial(1, 5, 1, 1, TrialKind::wrong_result)}));
  EXPECT_FALSE(cost(0, {trial(1, 10, 1, 1), trial(2, 5, 1, 1)}));
}

TEST_F(JointCost, OnlyTheBucketsOwnTrialsCount) {
  RaceRecord r = race(0);
  add_joint_costs(r, {trial(0, 10, 1, 1), trial(1, 5, 1, 1)});
  EXPECT_DOUBLE_EQ(r.cells[0].joint_cost_pct.value(), 100);
  EXPECT_FALSE(r.cells[1].joint_cost_pct);
}

TEST_F(JointCost, OfStoredRacesOfThisGenerator) {
  const ScratchFolder folder;
  Store store(folder / "t.db", Store::Open::create);
  for (const int version : {kGeneratorVersion, kGeneratorVersion - 1}) {
    WorkloadKey key;
    key.cpu = "a CPU";
    key.ffn = fake_ffn();
    key.generator_version = version;
    const int64_t workload = store.workload(key);
    store.add_trial(workload, trial(0, 10, 1, 1));
    store.add_trial(workload, trial(1, 8, 1, 1));
    store.save_race(workload, race(0));
  }
  const std::vector<StoredRace> races = races_with_joint_costs(store);
  ASSERT_EQ(races.size(), 2u);
  for (const StoredRace& stored : races) {
    const std::optional<double> cost = stored.race.cells.at(0).joint_cost_pct;
    EXPECT_EQ(cost.has_value(), stored.key.current());
    EXPECT_DOUBLE_EQ(cost.value_or(25), 25);
  }
}

}  // namespace
}  // namespace gatefold::test
