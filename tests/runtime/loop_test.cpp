#include "runtime/loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <numeric>
#include <thread>
#include <vector>

namespace gatefold {
namespace {

/// Indices in the order in which they were begun; one of them can be made to wait.
struct Record {
  std::vector<int> order;
  std::atomic<int> size{0};
  int blocking = INT_MIN;  ///< none
  std::atomic<bool> entered{false}, release{false};

  explicit Record(int count) : order(static_cast<size_t>(count)) {}
};

int record(void* context, int index, uint8_t*) {
  Record& r = *static_cast<Record*>(context);
  r.order[static_cast<size_t>(r.size++)] = index;
  if (index != r.blocking) return 0;
  r.entered = true;
  while (!r.release) std::this_thread::yield();
  return 0;
}

std::vector<int> counting(int from, int count) {
  std::vector<int> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), from);
  return numbers;
}

TEST(Loop, OneThreadRunsAllInOrder) {
  for (int members : {1, 3, 64, 200}) {
    Record r(130);
    Loop loop(record, &r, -7, 130, nullptr, members);
    loop.take_part(0);
    EXPECT_EQ(r.order, counting(-7, 130)) << members;
  }
}

TEST(Loop, AMemberBeginsWithItsOwnShare) {
  Record r(12);
  Loop loop(record, &r, 0, 12, nullptr, 3);
  loop.take_part(1);
  EXPECT_EQ(r.order, (std::vector<int>{4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3}));
  loop.take_part(2);  // nothing is left
  EXPECT_EQ(r.size, 12);
}

// Who waits in its first task holds back nothing else, whichever share that is in.
TEST(Loop, TheOthersFinishWhatABlockedMemberHasNotBegun) {
  for (int blocked = 0; blocked < 4; ++blocked) {
    Record r(1000);
    r.blocking = 250 * blocked;
    Loop loop(record, &r, 0, 1000, nullptr, 4);
    std::thread slow([&] { loop.take_part(blocked); });
    while (!r.entered) std::this_thread::yield();
    loop.take_part((blocked + 1) % 4);
    EXPECT_EQ(r.size, 1000) << "all begun, though one is not released";
    r.release = true;
    slow.join();
    std::sort(r.order.begin(), r.order.end());
    EXPECT_EQ(r.order, counting(0, 1000));
  }
}

TEST(Loop, NoIndexBeginsAfterAFailure) {
  int calls = 0;
  const auto fail = [](void* context, int index, uint8_t*) {
    ++*static_cast<int*>(context);
    return index == 5 ? 42 : 0;
  };
  Loop loop(fail, &calls, 0, 100, nullptr, 4);
  loop.take_part(0);
  loop.take_part(1);
  EXPECT_EQ(loop.result(), 42);
  EXPECT_EQ(calls, 6);
}

TEST(Loop, KnowsWhetherThisThreadIsInside) {
  EXPECT_FALSE(Loop::inside());
  const auto look = [](void*, int, uint8_t*) { return Loop::inside() ? 1 : 2; };
  Loop loop(look, nullptr, 0, 1, nullptr, 1);
  loop.take_part(0);
  EXPECT_EQ(loop.result(), 1);
  EXPECT_FALSE(Loop::inside());
}

}  // namespace
}  // namespace gatefold
