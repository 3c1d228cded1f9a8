#include "tuning/transfer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string point(int mr) {
  SchedulePoint p;
  p.mr = mr;
  p.streams = 1;
  return p.text();
}

MeasuredCell cell(Shape shape, int64_t rows, int winner, std::map<int, double> ms,
                  int threads = 1) {
  MeasuredCell c;
  c.key.cpu = "a CPU";
  c.key.ffn = fake_ffn();
  c.key.ffn.shape = shape;
  c.key.threads = threads;
  c.rows = rows;
  c.packing = "p";
  c.winner = point(winner);
  for (const auto& [mr, time] : ms) c.ms[point(mr)] = time;
  return c;
}

SearchSpace space() {
  SearchSpace s;
  s.ffn = fake_ffn();
  s.cpu = cpu_profile_named("generic");
  s.buckets = row_buckets({1, 4, 64});
  s.packings = legal_packings(s.ffn, s.target);
  return s;
}

std::vector<std::string> texts(const std::vector<Candidate>& candidates) {
  std::vector<std::string> out;
  for (const Candidate& c : candidates) {
    out.push_back(std::to_string(c.bucket) + " mr=" + std::to_string(c.point.mr));
  }
  return out;
}

const Shape kOwn = {40, 56}, kOther = {64, 64};

TEST(NearRows, WithinAFactorOfFour) {
  EXPECT_TRUE(near_rows(4, 4));
  EXPECT_TRUE(near_rows(1, 4));
  EXPECT_TRUE(near_rows(4, 1));
  EXPECT_FALSE(near_rows(4, 17));
}

TEST(TransfersTo, WinnersOfOtherCellsThatAreNotKnownHere) {
  const std::vector<MeasuredCell> own = {cell(kOwn, 1, 1, {{1, 1.0}}),
                                         cell(kOwn, 4, 2, {{2, 1.0}, {3, 1.5}})};
  std::vector<MeasuredCell> all = own;
  all.push_back(cell(kOther, 1, 4, {}));
  all.push_back(cell(kOther, 4, 3, {}));
  all.push_back(cell(kOther, 64, 6, {}));
  const std::vector<Candidate> found = transfers_to(space(), 0, own, all);
  // In the bucket of one row no tile of more rows is tried.
  EXPECT_THAT(texts(found), ElementsAre("1 mr=1", "1 mr=4"));
  for (const Candidate& c : found) EXPECT_EQ(c.proposer, "transfer");
}

TEST(TransfersTo, OfTheSameTargetDtypesAndCpuOnly) {
  const std::vector<MeasuredCell> own = {cell(kOwn, 4, 2, {{2, 1.0}})};
  for (const auto& change : std::vector<std::function<void(MeasuredCell&)>>{
           [](MeasuredCell& c) { c.key.target = Target::x86_avx512; },
           [](MeasuredCell& c) { c.key.ffn.dtype = DType::bf16; },
           [](MeasuredCell& c) { c.key.ffn.act_dtype = DType::bf16; },
           [](MeasuredCell& c) { c.key.cpu = "another CPU"; },
           [](MeasuredCell& c) { c.winner = point(30); }}) {
    MeasuredCell other = cell(kOther, 4, 3, {});
    EXPECT_EQ(transfers_to(space(), 0, own, {other}).size(), 1u);
    change(other);
    EXPECT_THAT(transfers_to(space(), 0, own, {other}), IsEmpty());
  }
}

TEST(LeaveOneOut, TheBestOfOtherShapesWinnersAgainstTheOwnOne) {
  const std::vector<LeftOneOut> table =
      leave_one_out({cell(kOwn, 4, 1, {{1, 0.9}, {2, 1.0}, {3, 1.5}}),
                     cell(kOther, 4, 2, {{1, 1.25}, {2, 1.0}}), cell({96, 64}, 4, 3, {{3, 2.0}})});
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table[0].point, point(2));
  EXPECT_EQ(table[0].candidates, 2);
  EXPECT_NEAR(*table[0].ratio(), 0.9, 1e-9);
  EXPECT_NEAR(*table[1].ratio(), 0.8, 1e-9);
  EXPECT_EQ(table[1].candidates, 1);
  EXPECT_FALSE(table[2].ratio()) << "nothing of the others was timed there";
  EXPECT_EQ(table[2].candidates, 0);
}

TEST(LeaveOneOut, OfTheSameRowsAndThreads) {
  EXPECT_THAT(leave_one_out({cell(kOwn, 4, 1, {{1, 1.0}, {2, 1.0}}), cell(kOwn, 4, 2, {}, 2)}),
              IsEmpty())
      << "the same shape";
  EXPECT_THAT(leave_one_out({cell(kOwn, 4, 1, {{1, 1.0}, {2, 1.0}}), cell(kOther, 1, 2, {}),
                             cell(kOther, 4, 2, {}, 2)}),
              IsEmpty());
}

TEST(LeaveOneOut, AWinnerThatWasNotScreenedIsReplacedByTheBestThatWas) {
  const auto table =
      leave_one_out({cell(kOwn, 4, 9, {{1, 0.5}, {2, 1.0}}), cell(kOther, 4, 2, {{2, 1.0}})});
  EXPECT_EQ(table.at(0).tuned_ms, 0.5);
}

TrialRecord trial(int mr, double ratio, const char* proposer) {
  TrialRecord t;
  t.bucket = row_buckets({4})[0];
  t.packing = legal_packings(fake_ffn(), Target::x86_avx2).at(0);
  t.point.mr = mr;
  t.proposer = proposer;
  t.result.median_ms = 2 * ratio;
  t.result.ratio = ratio;
  t.code_hash = std::to_string(mr);
  return t;
}

TEST(TransfersLead, OnlyIfFasterThanAllThatTheSearchFound) {
  const ScratchFolder folder;
  Store store(folder / "t.db", Store::Open::create);
  WorkloadKey key;
  key.cpu = "a CPU";
  key.ffn = fake_ffn();
  const int64_t workload = store.workload(key);
  RaceRecord race;
  race.rows = {4};
  race.packing = trial(1, 1, "").packing.text();
  race.cells.emplace_back();
  race.cells[0].bucket = row_buckets({4})[0];
  store.add_trial(workload, trial(1, 1, "default"));
  store.add_trial(workload, trial(2, 0.8, "random"));
  EXPECT_FALSE(transfers_lead(store, workload, race));
  store.add_trial(workload, trial(3, 0.795, "transfer"));
  EXPECT_FALSE(transfers_lead(store, workload, race)) << "within the noise";
  store.add_trial(workload, trial(4, 0.7, "transfer"));
  EXPECT_TRUE(transfers_lead(store, workload, race));
}

}  // namespace
}  // namespace gatefold::test
