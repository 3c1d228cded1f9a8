#include "tuning/budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/error.h"

namespace gatefold {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_budget(text, "--budget");
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    return e.what();
  }
  return "no error";
}

TEST(Budget, NumbersAndUnits) {
  EXPECT_EQ(parse_budget("90", "t"), 90);
  EXPECT_EQ(parse_budget("60s", "t"), 60);
  EXPECT_EQ(parse_budget("1.5m", "t"), 90);
  EXPECT_EQ(parse_budget("2h", "t"), 7200);
}

TEST(Budget, WhatIsNoTimeIsNamed) {
  for (const char* text : {"", "0", "-5", "abc", "10x", "1,5m", "nan", "inf", "169h"}) {
    EXPECT_THAT(error_of(text), testing::StartsWith(std::string("--budget: '") + text + "'"));
  }
}

TEST(Effort, NamesAndTheirTrials) {
  EXPECT_EQ(effort_named("quick").trials, 32);
  EXPECT_EQ(effort_named("standard").trials, 128);
  EXPECT_EQ(effort_named("deep").trials, 512);
  EXPECT_THROW(effort_named("depe"), Error);
}

TEST(Duration, InTheUnitThatSaysMost) {
  EXPECT_EQ(duration_text(0.4), "0 s");
  EXPECT_EQ(duration_text(-3), "0 s");
  EXPECT_EQ(duration_text(59.6), "60 s");
  EXPECT_EQ(duration_text(720), "12 min");
  EXPECT_EQ(duration_text(12000), "3 h 20 min");
  EXPECT_EQ(duration_text(25e6), "289 days");
  EXPECT_EQ(duration_text(1e30), "years");
}

}  // namespace
}  // namespace gatefold
