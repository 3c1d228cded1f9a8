#include <gtest/gtest.h>

#include "tests/ptx/interpreter.h"
#include "tests/ptx/single_cases.h"
#include "tests/ptx/warp_kernels.h"

namespace gatefold::ptx {
namespace {

void run_case(const WarpCase& single, Memory& memory) {
  std::vector<uint32_t> words(256);
  for (uint32_t i = 0; i < 256; ++i) words[i] = 3 * i + 1;
  const uint64_t in = memory.upload(words, "in"), out = memory.allocate(256, "out");
  Launch launch;
  launch.block = {static_cast<uint32_t>(single.threads), 1, 1};
  launch.most_instructions = 10000;
  const Module module = parse(module_header() + kernel_of(single, "k"));
  run(module, "k", launch.parameter(in).parameter(out), memory);
}

void expect_all(const std::vector<WarpCase>& cases) {
  for (const WarpCase& single : cases) {
    SCOPED_TRACE(single.name);
    Memory memory;
    std::string reason;
    try {
      run_case(single, memory);
    } catch (const Fault& fault) {
      reason = fault.reason;
      EXPECT_FALSE(reason.empty());
    }
    if (single.fault.empty()) {
      EXPECT_EQ(reason, "");
    } else {
      EXPECT_NE(reason.find(single.fault), std::string::npos)
          << "found '" << reason << "', wanted '" << single.fault << "'";
    }
  }
}

TEST(Warp, Accesses) { expect_all(access_cases()); }
TEST(Warp, Convergence) { expect_all(convergence_cases()); }
TEST(Warp, AsyncCopies) { expect_all(async_cases()); }

TEST(Warp, FaultsSayWhere) {
  const std::string text = module_header() + R"(
.visible .entry where(.param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %r;
  .reg .b64 %d;
  ld.param.u64 %d, [out];
  mov.u32 %r, %tid.y;
  setp.eq.u32 %p, %r, 5;
  @%p st.global.b32 [%d+64], %r;   // past the end
  ret;
}
)";
  Memory memory;
  Launch launch;
  launch.grid = {2, 3, 1};
  launch.block = {4, 8, 2};
  launch.parameter(memory.allocate(64, "the output"));
  try {
    run(parse(text), "where", launch, memory);
    FAIL() << "found no fault";
  } catch (const Fault& fault) {
    EXPECT_EQ(fault.line, 14);
    EXPECT_EQ(fault.block, (std::array<uint32_t, 3>{0, 0, 0}));
    EXPECT_EQ(fault.thread, (std::array<uint32_t, 3>{0, 5, 0}));
    const std::string what = fault.what();
    EXPECT_NE(what.find("kernel where, line 14 `@%p st.global.b32 [%d+64], %r;"), std::string::npos)
        << what;
    EXPECT_NE(what.find("offset 64 of 'the output', wanted an end at 64"), std::string::npos)
        << what;
  }
}

TEST(Warp, ThreadsOfOneWarpGoTheirWaysAndMeetAgain) {
  const std::string text = module_header() + R"(
.visible .entry loops(.param .u64 out)
{
  .reg .pred %p<3>;
  .reg .b32 %r<6>;
  .reg .b64 %d<3>;
  ld.param.u64 %d0, [out];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, 0;          // the sum of 0 ... lane, of odd numbers thrice
  mov.u32 %r2, 0;
AGAIN:
  setp.gt.u32 %p0, %r2, %r0;
  @%p0 bra DONE;
  and.b32 %r3, %r2, 1;
  setp.eq.u32 %p1, %r3, 0;
  @%p1 bra EVEN;
  mad.lo.s32 %r1, %r2, 2, %r1;
EVEN:
  add.s32 %r1, %r1, %r2;
  add.s32 %r2, %r2, 1;
  bra AGAIN;
DONE:
  bar.sync 0;
  shfl.sync.bfly.b32 %r4, %r1, 0, 31, 0xffffffff;
  mul.wide.u32 %d1, %r0, 4;
  add.s64 %d0, %d0, %d1;
  st.global.b32 [%d0], %r4;
  ret;
}
)";
  Memory memory;
  const uint64_t out = memory.allocate(128, "out");
  Launch launch;
  launch.block = {32, 1, 1};
  run(parse(text), "loops", launch.parameter(out), memory);
  const auto found = memory.download<uint32_t>(out, 32);
  for (uint32_t lane = 0, sum = 0; lane < 32; ++lane) {
    sum += lane % 2 == 0 ? lane : 3 * lane;
    EXPECT_EQ(found[lane], sum) << lane;
  }
}

TEST(Warp, SpecialRegistersTellThreadsApart) {
  std::string text = module_header() + R"(
.visible .entry specials(.param .u64 out)
{
  .reg .b32 %n, %v, %w;
  .reg .b64 %to, %at;
  ld.param.u64 %to, [out];
  mov.u32 %n, %ctaid.y;
  mov.u32 %v, %nctaid.x;
  mov.u32 %w, %ctaid.x;
  mad.lo.s32 %n, %n, %v, %w;
  mov.u32 %v, %ntid.y;
  mul.lo.s32 %n, %n, %v;
  mov.u32 %v, %tid.y;
  add.s32 %n, %n, %v;
  mov.u32 %v, %ntid.x;
  mov.u32 %w, %tid.x;
  mad.lo.s32 %n, %n, %v, %w;
  mul.wide.u32 %at, %n, 8;
  add.s64 %to, %to, %at;
  mov.u32 %v, %laneid;
  mov.u32 %w, %warpid;
  st.global.v2.b32 [%to], {%v, %w};
  ret;
}
)";
  Memory memory;
  const uint64_t out = memory.allocate(6 * 40 * 8, "out");
  Launch launch;
  launch.grid = {3, 2, 1};
  launch.block = {10, 4, 1};
  run(parse(text), "specials", launch.parameter(out), memory);
  EXPECT_EQ(memory.unwritten(out, 6 * 40 * 8), 0u);
  const auto found = memory.download<uint32_t>(out, 6 * 40 * 2);
  for (uint32_t i = 0; i < 6 * 40; ++i) {
    EXPECT_EQ(found[2 * i], i % 40 % 32);
    EXPECT_EQ(found[2 * i + 1], i % 40 / 32);
  }
}

}  // namespace
}  // namespace gatefold::ptx
