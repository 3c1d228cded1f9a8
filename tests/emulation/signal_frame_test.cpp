#include "tests/emulation/signal_frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace gatefold::emulation {
namespace {

// Two CPUs with AVX-512 put its parts in different places: Skylake-X leaves room for MPX.
constexpr XsaveLayout kSkylakeX = {1088, 1152, 1664}, kZen4 = {832, 896, 1408}, kZen3 = {0, 0, 0};
constexpr uint64_t kUpToAvx = 0x7, kUpToAvx512 = 0xe7;

/// What the kernel writes, with every byte of the parts set to `fill`.
struct Area {
  Area(uint64_t parts, uint64_t in_use, uint8_t fill) {
    std::fill(bytes.begin(), bytes.end(), fill);
    const uint32_t magic = 0x46505853;
    memcpy(bytes.data() + 464, &magic, sizeof magic);
    memcpy(bytes.data() + 472, &parts, sizeof parts);
    memcpy(bytes.data() + 512, &in_use, sizeof in_use);
  }
  alignas(64) std::array<uint8_t, 4096> bytes;
};

struct Vectors {
  uint64_t zmm[kZmms][8] = {}, opmask[kOpmasks] = {};
};

Vectors numbered() {
  Vectors v;
  for (uint64_t i = 0; i < kZmms; ++i) {
    for (uint64_t j = 0; j < 8; ++j) v.zmm[i][j] = 100 * i + j;
  }
  for (uint64_t i = 0; i < kOpmasks; ++i) v.opmask[i] = 0xff00 + i;
  return v;
}

Vectors read_all(Area& area, const XsaveLayout& layout) {
  Vectors v;
  const SignalFrame frame(area.bytes.data(), layout);
  for (int i = 0; i < kLowZmms; ++i) frame.get_ymm(i, v.zmm[i]);
  frame.get_avx512(v.zmm, v.opmask);
  return v;
}

void write_all(Area& area, const XsaveLayout& layout, const Vectors& v) {
  SignalFrame frame(area.bytes.data(), layout);
  for (int i = 0; i < kLowZmms; ++i) frame.put_ymm(i, v.zmm[i]);
  frame.put_avx512(v.zmm, v.opmask);
}

TEST(SignalFrame, Avx512StateComesBackWhereTheCpuHoldsIt) {
  for (const XsaveLayout& layout : {kSkylakeX, kZen4}) {
    Area area(kUpToAvx512, 0, 0xee);
    const Vectors expected = numbered();
    write_all(area, layout, expected);
    const Vectors found = read_all(area, layout);
    EXPECT_EQ(memcmp(&found, &expected, sizeof found), 0);
  }
}

TEST(SignalFrame, PartsInTheirInitialStateAreZero) {
  Area area(kUpToAvx512, 0x2, 0xee);  // the CPU wrote the SSE part only
  const Vectors v = read_all(area, kZen4);
  EXPECT_EQ(v.zmm[3][1], 0xeeeeeeeeeeeeeeee);
  EXPECT_EQ(v.zmm[3][2], 0u) << "upper half of ymm3";
  EXPECT_EQ(v.zmm[3][4], 0u) << "upper half of zmm3";
  EXPECT_EQ(v.zmm[20][0], 0u);
  EXPECT_EQ(v.opmask[1], 0u);
}

TEST(SignalFrame, NothingIsWrittenPastAFrameWithoutAvx512) {
  Area area(kUpToAvx, kUpToAvx, 0xee);
  write_all(area, kZen3, numbered());
  EXPECT_TRUE(std::all_of(area.bytes.begin() + 832, area.bytes.end(),
                          [](uint8_t byte) { return byte == 0xee; }));
  const Vectors v = read_all(area, kZen3);
  EXPECT_EQ(v.zmm[15][3], 1503u);
  EXPECT_EQ(v.zmm[15][4], 0u) << "the caller's own, untouched";
}

TEST(SignalFrame, Mxcsr) {
  Area area(kUpToAvx, kUpToAvx, 0);
  SignalFrame frame(area.bytes.data(), kZen3);
  frame.set_mxcsr(0x1fa5);
  EXPECT_EQ(SignalFrame(area.bytes.data(), kZen3).mxcsr(), 0x1fa5u);
}

}  // namespace
}  // namespace gatefold::emulation
