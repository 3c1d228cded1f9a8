#include "tuning/race_record.h"

#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tests/tuning/fake_candidate.h"
#include "tuning/roofline.h"

namespace gatefold::test {
namespace {

TEST(RaceRecord, EfficiencyCountsTheWeightsOfTheChosenPacking) {
  SearchSpace space;
  space.ffn = fake_ffn();
  space.ffn.shape = {41, 9};
  space.buckets = row_buckets({1});
  space.packings = legal_packings(space.ffn, space.target);
  const int64_t bytes = packed_weight_bytes(space.ffn, space.packings.at(2));
  ASSERT_NE(bytes, packed_weight_bytes(space.ffn, space.packings.at(0)));
  Roof roof;
  roof.read_gbps = 1;
  RacedBucket bucket;
  bucket.entries = {{{2, 0, {}, "random"}, false, false, {1, 1, 1}}};
  bucket.reply.cold = true;
  const RaceRecord race = race_record(space, {bucket}, {2, {CellDecision{}}}, roof);
  EXPECT_EQ(race.packing, space.packings[2].text());
  EXPECT_DOUBLE_EQ(race.cells.at(0).efficiency.value(), roofline(space.ffn, 1, roof, bytes).ms / 1);
}

}  // namespace
}  // namespace gatefold::test
