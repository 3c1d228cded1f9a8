#include "tuning/tune_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<RowBucket>& buckets() {
  static const std::vector<RowBucket> all = row_buckets({1, 4});
  return all;
}

std::vector<Packing> packings() { return legal_packings(fake_ffn(), Target::x86_avx2); }

TrialRecord trial(int mr, double ratio, const char* proposer = "random", size_t bucket = 1) {
  TrialRecord t;
  t.bucket = buckets()[bucket];
  t.packing = packings()[0];
  t.point.mr = mr;
  t.proposer = proposer;
  t.result.ratio = ratio;
  t.result.median_ms = 10 * ratio;
  t.result.samples = {9 * ratio, kUnknown, 12 * ratio};
  t.code_hash = "code " + std::to_string(mr);
  return t;
}

TrialRecord failure(int mr, TrialKind kind, const char* message) {
  TrialRecord t = trial(mr, kUnknown);
  t.result = {};
  t.result.kind = kind;
  t.result.message = message;
  return t;
}

std::vector<int> tiles(const RowsLook& look) {
  std::vector<int> mr;
  for (const Leader& l : look.leaders) mr.push_back(l.point.mr);
  return mr;
}

TEST(TuneLook, TheFastestOfEachRowCountInOrder) {
  const TuneLook look =
      look_at({trial(1, 1, "default"), trial(2, 0.8), trial(3, 1.2), trial(4, 0.9), trial(5, 0.7),
               trial(6, 1.1), trial(7, 0.5, "random", 0)},
              buckets(), packings()[0].text());
  ASSERT_EQ(look.rows.size(), 2u);
  EXPECT_EQ(look.rows[0].rows, 1);
  EXPECT_THAT(tiles(look.rows[0]), ElementsAre(7));
  EXPECT_THAT(tiles(look.rows[1]), ElementsAre(5, 2, 4, 1, 6));
  const Leader& best = look.rows[1].leaders[0];
  EXPECT_DOUBLE_EQ(best.screened_ms, 7);
  EXPECT_DOUBLE_EQ(best.low_ms, 6.3);
  EXPECT_DOUBLE_EQ(best.high_ms, 8.4);
  EXPECT_DOUBLE_EQ(*best.ratio, 0.7);
  EXPECT_THAT(look.failed, IsEmpty());
}

TEST(TuneLook, PointsWithTheSameCodeAreOne) {
  TrialRecord twin = trial(3, 0.8);
  twin.code_hash = "code 2";
  const TuneLook look =
      look_at({trial(1, 1, "default"), trial(2, 0.8), twin}, buckets(), packings()[0].text());
  EXPECT_THAT(tiles(look.rows.at(0)), ElementsAre(2, 1));
}

TEST(TuneLook, OtherPackingsAreNotShown) {
  TrialRecord other = trial(2, 0.5);
  other.packing = packings()[1];
  const TuneLook look = look_at({trial(1, 1, "default"), other}, buckets(), packings()[0].text());
  EXPECT_THAT(tiles(look.rows.at(0)), ElementsAre(1));
  EXPECT_THAT(look_at({trial(1, 1)}, buckets(), "").rows, IsEmpty());
}

TEST(TuneLook, FailedKindsWithTheirNumberAndTheFirstMessage) {
  TrialRecord elsewhere = failure(9, TrialKind::oom, "other rows");
  elsewhere.bucket = row_buckets({7})[0];
  const TuneLook look =
      look_at({failure(1, TrialKind::crash, "SIGSEGV"), failure(2, TrialKind::compile_error, "no"),
               failure(3, TrialKind::compile_error, "neither"), trial(4, 1), elsewhere},
              buckets(), "");
  ASSERT_EQ(look.failed.size(), 2u);
  EXPECT_EQ(look.failed[0].kind, TrialKind::compile_error);
  EXPECT_EQ(look.failed[0].count, 2);
  EXPECT_EQ(look.failed[0].first, "no");
  EXPECT_EQ(look.failed[1].count, 1);
}

TEST(TuneLook, SaysWhichTunableMattered) {
  std::vector<TrialRecord> trials;
  for (int mr = 1; mr <= 8; ++mr) {
    for (int pf : {0, 16, 32}) {
      TrialRecord t = trial(mr, mr <= 4 ? 1 : 2);
      t.point.pf = pf;
      t.code_hash.clear();
      trials.push_back(t);
    }
  }
  const TuneLook look = look_at(trials, buckets(), packings()[0].text());
  EXPECT_EQ(look.rows.at(0).shares.at(0).tunable, "mr");
  EXPECT_GT(look.rows.at(0).shares.at(0).share, 0.9);
  EXPECT_LT(look.rows.at(0).shares.at(1).share, 0.1);
}

}  // namespace
}  // namespace gatefold::test
