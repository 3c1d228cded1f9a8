#include "spec/point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/error.h"

namespace gatefold {
namespace {

using ::testing::HasSubstr;

template <typename Parse>
std::string usage_error(Parse parse) {
  try {
    parse();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

TEST(Point, TextReadsBackWhateverTheTunables) {
  int value = 3;
  SchedulePoint point{.fusion = Fusion::blocked};
  for (const Tunable& t : kTunables) point.*t.value = value++;  // all distinct
  EXPECT_EQ(parse_point(point.text()), point);
  for (const Fusion fusion : {Fusion::unfused, Fusion::gated, Fusion::blocked, Fusion::streamed}) {
    point.fusion = fusion;
    EXPECT_EQ(parse_point(point.text()), point);
  }
}

TEST(Point, TextNamesEveryTunableOnce) {
  const std::string text = SchedulePoint{}.text();
  EXPECT_THAT(text, testing::StartsWith("fusion=gated "));
  for (const Tunable& t : kTunables) {
    if (t.rare) continue;
    EXPECT_THAT(text, HasSubstr(std::string(" ") + t.name + "="));
  }
}

/// Points that were stored or exported before a device had tunables read as they did.
TEST(Point, TunablesOfDevicesArePrintedWhereTheyAreNotTheDefault) {
  SchedulePoint point;
  EXPECT_THAT(point.text(), testing::Not(HasSubstr(" ks=")));
  point.ks = 8;
  EXPECT_THAT(point.text(), testing::EndsWith(" ks=8"));
  EXPECT_EQ(parse_point(point.text()), point);
}

TEST(Point, TunablesLeftOutKeepTheBase) {
  const SchedulePoint base{.fusion = Fusion::blocked, .mr = 9, .kb = 5};
  const SchedulePoint point = parse_point("mr=4", base);
  EXPECT_EQ(point.mr, 4);
  EXPECT_EQ(point.kb, 5);
  EXPECT_EQ(point.fusion, Fusion::blocked);
}

TEST(Point, OrderAndSpacesDoNotMatter) {
  EXPECT_EQ(parse_point("  mr=4   fusion=unfused "), parse_point("fusion=unfused mr=4"));
}

TEST(Point, BadTextIsAnErrorThatNamesIt) {
  EXPECT_THAT(usage_error([] { parse_point("mr"); }), HasSubstr("'mr', wanted name=value"));
  EXPECT_THAT(usage_error([] { parse_point("mr=x"); }), HasSubstr("mr=x, wanted a number"));
  EXPECT_THAT(usage_error([] { parse_point("mr=-1"); }), HasSubstr("mr=-1"));
  EXPECT_THAT(usage_error([] { parse_point("mr=4.5"); }), HasSubstr("mr=4.5"));
  EXPECT_THAT(usage_error([] { parse_point("mr=99999999999"); }), HasSubstr("mr=99999999999"));
  EXPECT_THAT(usage_error([] { parse_point("mr=1 mr=2"); }), HasSubstr("'mr' stands twice"));
  EXPECT_THAT(usage_error([] { parse_point("nr=1"); }), HasSubstr("unknown name 'nr'"));
  EXPECT_THAT(usage_error([] { parse_point("fusion=gaited"); }),
              HasSubstr("did you mean 'gated'?"));
  EXPECT_THAT(usage_error([] { parse_point(""); }), HasSubstr("empty"));
}

TEST(Packing, TextReadsBack) {
  const Packing packing{.panel = 8, .pair = 2, .k_step = 3, .k_lines = 16, .group = 4};
  EXPECT_EQ(parse_packing(packing.text()), packing);
  EXPECT_EQ(packing.text(), "panel=8 pair=2 k_step=3 k_lines=16 group=4");
  EXPECT_THAT(usage_error([] { parse_packing("pane=8"); }), HasSubstr("unknown name 'pane'"));
}

TEST(Packing, LinesAndPanelsArePadded) {
  const Packing packing{.panel = 16, .pair = 2, .k_step = 1, .k_lines = 4, .group = 2};
  EXPECT_EQ(packed_lines(packing, 1), 4);
  EXPECT_EQ(packed_lines(packing, 8), 4);
  EXPECT_EQ(packed_lines(packing, 9), 8);
  EXPECT_EQ(packed_panels(packing, 1), 2);
  EXPECT_EQ(packed_panels(packing, 32), 2);
  EXPECT_EQ(packed_panels(packing, 33), 4);
}

}  // namespace
}  // namespace gatefold
