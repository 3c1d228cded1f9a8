#include "tuning/wakeup.h"

#include <gtest/gtest.h>

#include <cmath>

namespace gatefold {
namespace {

TEST(Wakeup, IsKnownForSeveralThreads) {
  const Wakeup w = measure_wakeup(2);
  EXPECT_EQ(w.threads, 2);
  EXPECT_GT(w.warm_us, 0);
  EXPECT_GT(w.asleep_us, 0);
}

TEST(Wakeup, OneThreadWakesNobody) {
  const Wakeup w = measure_wakeup(1);
  EXPECT_TRUE(std::isnan(w.warm_us) && std::isnan(w.asleep_us));
}

}  // namespace
}  // namespace gatefold
