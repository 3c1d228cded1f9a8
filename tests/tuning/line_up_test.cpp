#include "tuning/race_line_up.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "schedules/space.h"
#include "tests/tuning/fake_candidate.h"

namespace gatefold::test {
namespace {

class LineUp : public testing::Test {
 protected:
  LineUp() {
    space_.ffn = fake_ffn();
    space_.cpu = cpu_profile_named("generic");
    space_.buckets = row_buckets({4});
    space_.packings = legal_packings(space_.ffn, space_.target);
    WorkloadKey key;
    key.cpu = "a CPU";
    key.ffn = fake_ffn();
    workload_ = store_.workload(key);
  }

  /// A trial of the default point, or of the number-th random one.
  void tried(TrialBook& book, size_t packing, int number, double ms, const std::string& code = "") {
    Candidate c = book.default_of(packing, 0);
    if (number > 0)
      c.point = legal_points(space_.kernel(packing, 0)).at(static_cast<size_t>(number));
    TrialRecord trial;
    trial.bucket = space_.buckets[0];
    trial.packing = space_.packings.at(packing);
    trial.point = c.point;
    trial.result.median_ms = ms;
    trial.code_hash = code;
    book.add(c, trial);
  }

  static size_t of_packing(const std::vector<RaceEntry>& entries, size_t packing) {
    return static_cast<size_t>(std::count_if(entries.begin(), entries.end(), [&](const auto& e) {
      return e.candidate.packing == packing;
    }));
  }

  ScratchFolder folder_;
  Store store_{folder_ / "t.db", Store::Open::create};
  SearchSpace space_;
  int64_t workload_ = 0;
};

TEST_F(LineUp, DefaultAndUnfusedRaceEvenIfNothingWasTried) {
  const TrialBook book(space_, store_, workload_);
  const std::vector<RaceEntry> entries = line_up(book, space_, 0, 0);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_TRUE(entries[0].is_default);
  EXPECT_TRUE(entries[1].is_unfused_control);
}

TEST_F(LineUp, BestFewOfWhatIsNotFarBehind) {
  TrialBook book(space_, store_, workload_);
  tried(book, 0, 0, 10);
  tried(book, 0, 1, 9.0);
  tried(book, 0, 2, 9.5);
  tried(book, 0, 3, 15);
  const std::vector<RaceEntry> entries = line_up(book, space_, 0, 0);
  EXPECT_EQ(entries.size(), 4u) << "default, unfused, and the two that are near";
  EXPECT_EQ(favourite_packing(book, space_), 0u);
}

TEST_F(LineUp, EqualCodeRacesOnce) {
  TrialBook book(space_, store_, workload_);
  tried(book, 0, 0, 10, "default");
  tried(book, 0, 1, 9.5, "one");
  tried(book, 0, 2, 9.5, "one");
  tried(book, 0, 3, 10, "default");
  EXPECT_EQ(line_up(book, space_, 0, 0).size(), 3u) << "default, unfused, and one of the twins";
}

TEST_F(LineUp, OtherPackingRacesAgainstTheDefaultOne) {
  TrialBook book(space_, store_, workload_);
  tried(book, 0, 0, 10);
  tried(book, 1, 0, 9);
  tried(book, 1, 5, 8);
  ASSERT_EQ(favourite_packing(book, space_), 1u);
  const std::vector<RaceEntry> entries = line_up(book, space_, 0, 1);
  EXPECT_TRUE(entries[0].is_default);
  EXPECT_EQ(of_packing(entries, 0), 2u) << "the default and its unfused control";
  EXPECT_EQ(of_packing(entries, 1), 2u) << "the best, and its unfused control";
}

TEST_F(LineUp, SlightlyFasterPackingIsNoFavourite) {
  TrialBook book(space_, store_, workload_);
  tried(book, 0, 0, 10);
  tried(book, 1, 0, 9.9);
  EXPECT_EQ(favourite_packing(book, space_), 0u);
}

TEST_F(LineUp, TrialsOfOtherRowsAreNotSeen) {
  TrialRecord other;
  other.bucket = {1, 3, 3};
  other.packing = space_.packings[0];
  other.point = space_.default_point(0, 0);
  other.result.median_ms = 1;
  store_.add_trial(workload_, other);
  EXPECT_EQ(TrialBook(space_, store_, workload_).size(), 0);
}

}  // namespace
}  // namespace gatefold::test
