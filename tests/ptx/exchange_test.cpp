#include <gtest/gtest.h>

#include "tests/ptx/interpreter.h"
#include "tests/ptx/single_cases.h"

namespace gatefold::ptx {
namespace {

/// Runs `code` in one warp: %r1 is 100 + lane, %p1 is true of odd lanes; gives %r0 and %p0 of each.
std::vector<std::array<uint32_t, 2>> exchanged(const std::string& code) {
  const std::string text = module_header() + R"(
.visible .entry exchange(.param .u64 out)
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .b64 %d<2>;
  ld.param.u64 %d0, [out];
  mov.u32 %r2, %tid.x;
  add.u32 %r1, %r2, 100;
  and.b32 %r3, %r2, 1;
  setp.ne.u32 %p1, %r3, 0;
  setp.ne.u32 %p0, %r3, %r3;
  mov.u32 %r0, 0;
  )" + code + R"(
  selp.u32 %r3, 1, 0, %p0;
  mad.wide.u32 %d0, %r2, 8, %d0;
  st.global.v2.b32 [%d0], {%r0, %r3};
  ret;
}
)";
  Memory memory;
  const uint64_t out = memory.allocate(256, "out");
  Launch launch;
  launch.block = {32, 1, 1};
  run(parse(text), "exchange", launch.parameter(out), memory);
  return memory.download<std::array<uint32_t, 2>>(out, 32);
}

void expect_lanes(const std::string& code, const std::vector<uint32_t>& sources,
                  const std::vector<uint32_t>& inside) {
  const auto found = exchanged(code);
  for (size_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(found[lane][0], 100 + sources[lane]) << code << " lane " << lane;
    EXPECT_EQ(found[lane][1], inside[lane]) << code << " lane " << lane;
  }
}

const std::vector<uint32_t> kAllInside(32, 1);

TEST(Exchange, ShuffleUp) {
  expect_lanes("shfl.sync.up.b32 %r0|%p0, %r1, 2, 0, -1;",
               {0,  1,  0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13,
                14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29},
               {0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
}

TEST(Exchange, ShuffleDownInSegmentsOfEight) {
  expect_lanes("shfl.sync.down.b32 %r0|%p0, %r1, 3, 0x181f, 0xffffffff;",
               {3,  4,  5,  6,  7,  5,  6,  7,  11, 12, 13, 14, 15, 13, 14, 15,
                19, 20, 21, 22, 23, 21, 22, 23, 27, 28, 29, 30, 31, 29, 30, 31},
               {1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0,
                1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 1, 0, 0, 0});
}

TEST(Exchange, ShuffleButterfly) {
  expect_lanes("shfl.sync.bfly.b32 %r0|%p0, %r1, 5, 31, -1;",
               {5,  4,  7,  6,  1,  0,  3,  2,  13, 12, 15, 14, 9,  8,  11, 10,
                21, 20, 23, 22, 17, 16, 19, 18, 29, 28, 31, 30, 25, 24, 27, 26},
               kAllInside);
}

TEST(Exchange, ShuffleIndexInHalves) {
  expect_lanes("shfl.sync.idx.b32 %r0|%p0, %r1, 3, 0x101f, -1;",
               {3,  3,  3,  3,  3,  3,  3,  3,  3,  3,  3,  3,  3,  3,  3,  3,
                19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19, 19},
               kAllInside);
}

TEST(Exchange, ShuffleIntoItsOwnSource) {
  const auto found = exchanged("shfl.sync.up.b32 %r1, %r1, 1, 0, -1; mov.b32 %r0, %r1;");
  EXPECT_EQ(found[31][0], 130u);
  EXPECT_EQ(found[0][0], 100u);
}

TEST(Exchange, Votes) {
  EXPECT_EQ(exchanged("vote.sync.ballot.b32 %r0, %p1, -1;")[7][0], 0xaaaaaaaau);
  EXPECT_EQ(exchanged("vote.sync.ballot.b32 %r0, !%p1, -1;")[8][0], 0x55555555u);
  EXPECT_EQ(exchanged("vote.sync.any.pred %p0, %p1, -1;")[0][1], 1u);
  EXPECT_EQ(exchanged("vote.sync.all.pred %p0, %p1, -1;")[1][1], 0u);
  EXPECT_EQ(exchanged("vote.sync.uni.pred %p0, %p1, -1;")[0][1], 0u);
  EXPECT_EQ(exchanged("@%p1 vote.sync.all.pred %p0, %p1, 0xaaaaaaaa;")[1][1], 1u);
  EXPECT_EQ(exchanged("@%p1 vote.sync.uni.pred %p0, %p1, 0xaaaaaaaa;")[1][1], 1u);
}

TEST(Exchange, ActiveMaskIsOfTheThreadsThatAreHere) {
  EXPECT_EQ(exchanged("activemask.b32 %r0;")[5][0], 0xffffffffu);
  const auto found =
      exchanged("@%p1 bra ODD; activemask.b32 %r0; bra OUT; ODD: activemask.b32 %r0; OUT:");
  EXPECT_EQ(found[4][0], 0x55555555u);
  EXPECT_EQ(found[5][0], 0xaaaaaaaau);
}

}  // namespace
}  // namespace gatefold::ptx
