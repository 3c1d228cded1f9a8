#include "tuning/known_winners.h"

#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tuning/tune_request.h"

namespace gatefold {
namespace {

SearchSpace space_for(int64_t d_model, int64_t d_ff, const std::vector<int64_t>& rows) {
  SearchSpace space;
  space.ffn.variant = variant_named("swiglu");
  space.ffn.shape = {d_model, d_ff};
  space.buckets = row_buckets(rows);
  space.packings = legal_packings(space.ffn, space.target);
  return space;
}

WinnerSet set_for(int64_t d_model, int64_t d_ff, const std::string& point, int64_t rows) {
  WinnerSet set;
  set.key.ffn.variant = variant_named("geglu");  // the activation does not matter
  set.key.ffn.shape = {d_model, d_ff};
  set.packing = legal_packings(set.key.ffn, set.key.target)[0].text();
  Winner winner;
  winner.cell.bucket = {1, RowBucket::kOpen, rows};
  winner.cell.point = point;
  set.winners.push_back(winner);
  return set;
}

TEST(NearestKnown, TakesTheTwoNearestOfEachBucket) {
  const SearchSpace space = space_for(1024, 2752, {4, 64});
  const std::vector<WinnerSet> sets = {set_for(8192, 22016, "fusion=gated mr=1 streams=2", 4),
                                       set_for(1024, 2816, "fusion=gated mr=2 streams=4", 4),
                                       set_for(1024, 2816, "fusion=gated mr=4 streams=2", 64)};
  const std::vector<Candidate> known = nearest_known(space, sets, 1);
  ASSERT_EQ(known.size(), 4u);
  EXPECT_EQ(known[0].bucket, 0u);
  EXPECT_EQ(known[0].point.mr, 2);
  EXPECT_EQ(known[1].point.mr, 1);
  EXPECT_EQ(known[2].bucket, 1u);
  EXPECT_EQ(known[2].point.mr, 4);
  for (const Candidate& c : known) EXPECT_EQ(c.proposer, "known");
}

TEST(NearestKnown, LeavesOutWhatIsNotComparableOrNotLegal) {
  const SearchSpace space = space_for(1024, 2752, {4});
  WinnerSet dense = set_for(1024, 2752, "fusion=gated mr=2 streams=4", 4);
  dense.key.ffn.variant = variant_named("gelu");
  WinnerSet bf16 = set_for(1024, 2752, "fusion=gated mr=2 streams=4", 4);
  bf16.key.ffn.dtype = DType::bf16;
  WinnerSet stale = set_for(1024, 2752, "fusion=gated mr=2 streams=4", 4);
  stale.key.generator_version += 1;
  const WinnerSet illegal = set_for(1024, 2752, "fusion=gated mr=15 streams=4", 4);
  EXPECT_TRUE(nearest_known(space, {dense, bf16, stale, illegal}, 1).empty());
}

TEST(NearestKnown, NoPointTwice) {
  const SearchSpace space = space_for(1024, 2752, {4});
  const WinnerSet set = set_for(1024, 2752, "fusion=gated mr=2 streams=4", 4);
  EXPECT_EQ(nearest_known(space, {set, set, set}, 1).size(), 1u);
}

}  // namespace
}  // namespace gatefold
