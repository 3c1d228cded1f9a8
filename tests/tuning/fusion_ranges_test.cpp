#include "tuning/fusion_ranges.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gatefold {
namespace {

ReportCell cell(int64_t rows, const std::string& fusion, std::optional<double> vs_unfused,
                int threads = 1) {
  ReportCell cell;
  cell.key.ffn.variant = variant_named("swiglu");
  cell.key.ffn.shape = {256, 704};
  cell.key.threads = threads;
  cell.rows = rows;
  cell.winner = "fusion=" + fusion + " mr=4";
  cell.vs_unfused = vs_unfused;
  return cell;
}

TEST(FusionRanges, GiveWayWhereAnotherFusionWins) {
  const auto all = fusion_ranges({cell(64, "blocked", 1.2), cell(1, "gated", 1.05),
                                  cell(4, "gated", 1.01), cell(128, "blocked", 1.3)});
  ASSERT_EQ(all.size(), 1u);
  ASSERT_EQ(all[0].ranges.size(), 2u);
  EXPECT_EQ(all[0].ranges[0].text(), "gated at 1 to 4 rows (at least 1.010x unfused)");
  EXPECT_EQ(all[0].ranges[1].text(), "blocked at 64 to 128 rows (at least 1.200x unfused)");
}

TEST(FusionRanges, OneForEachWorkload) {
  const auto all = fusion_ranges({cell(1, "gated", 1.0, 1), cell(1, "streamed", 1.1, 2)});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].ranges[0].text(), "gated at 1 row (1.000x unfused)");
  EXPECT_EQ(all[1].key.threads, 2);
}

TEST(FusionRanges, LeaveOutWhatAnotherVersionWrote) {
  ReportCell old = cell(1, "gated", 1.0);
  old.stale = true;
  old.winner = "fusion=gated nv=2";  // a tunable of that version
  EXPECT_TRUE(fusion_ranges({old}).empty());
}

TEST(FusionRanges, SayNothingOfAControlThatWasNotTimed) {
  const auto all = fusion_ranges({cell(1, "gated", std::nullopt), cell(2, "unfused", 1.0)});
  EXPECT_EQ(all[0].ranges[0].text(), "gated at 1 row");
  EXPECT_EQ(all[0].ranges[1].text(), "unfused at 2 rows");
}

}  // namespace
}  // namespace gatefold
