#include "spec/occupancy.h"

#include <gtest/gtest.h>

namespace gatefold::test {
namespace {

struct Worked {
  int capability, threads, registers;
  int64_t shared;
  int blocks;
  const char* limit;
};

/// Worked out by hand by the rules of the occupancy calculator; the comments say how.
const Worked kWorked[] = {
    // 8 warps a block: 64 / 8; 32 registers are 1024 a warp, 16 warps a part, 64 in all.
    {80, 256, 32, 0, 8, "warps"},
    // 48 / 8.
    {86, 256, 32, 0, 6, "warps"},
    // 33 registers are 1056, rounded up to 1280 a warp: 12 a part, 48 in all, 48 / 8.
    {80, 256, 33, 0, 6, "registers"},
    // 128 registers, 4096 a warp: 4 a part, 16 in all.
    {80, 256, 128, 0, 2, "registers"},
    {90, 64, 128, 0, 8, "registers"},
    // 168 registers, 5376 a warp: 3 a part, 12 in all; 200: 6400, 2 a part, 8 in all. Without parts
    // it would be 12 / 4 and 10 / 4.
    {80, 128, 168, 0, 3, "registers"},
    {80, 64, 200, 0, 4, "registers"},
    // 255 registers, 8192 a warp: 2 a part, 8 in all.
    {80, 256, 255, 0, 1, "registers"},
    {80, 32, 255, 0, 8, "registers"},
    // Blocks of one warp: as many as there may be blocks.
    {80, 32, 32, 0, 32, "blocks"},
    {86, 32, 32, 0, 16, "blocks"},
    {89, 32, 32, 0, 24, "blocks"},
    {90, 32, 32, 0, 32, "blocks"},
    // 48 KiB and one for the system are 49: 164 / 49, 100 / 49, 228 / 49.
    {80, 128, 32, 48 << 10, 3, "shared memory"},
    {86, 128, 32, 48 << 10, 2, "shared memory"},
    {90, 128, 32, 48 << 10, 4, "shared memory"},
    // 81 KiB and one are 82: twice 164, one byte more is not.
    {80, 128, 32, 81 << 10, 2, "shared memory"},
    {80, 128, 32, (81 << 10) + 1, 1, "shared memory"},
    {80, 128, 32, 163 << 10, 1, "shared memory"},
    {90, 128, 32, 227 << 10, 1, "shared memory"},
    // 1024 threads by 64 registers: all of them.
    {80, 1024, 64, 0, 1, "registers"},
    {86, 1024, 32, 0, 1, "warps"},
    // 33 threads are two warps.
    {80, 33, 32, 0, 32, "blocks"},
    {86, 65, 16, 0, 16, "blocks"},
};

TEST(Occupancy, IsWhatTheCalculatorSays) {
  for (const Worked& w : kWorked) {
    const Occupancy found = occupancy({w.threads, w.registers, w.shared}, w.capability);
    EXPECT_EQ(found.blocks, w.blocks) << w.capability << ": " << w.threads << " threads by "
                                      << w.registers << " registers, " << w.shared << " bytes";
    EXPECT_EQ(found.limit, w.limit) << w.capability << ": " << w.threads << " threads by "
                                    << w.registers << " registers, " << w.shared << " bytes";
    EXPECT_EQ(found.warps, w.blocks * ((w.threads + 31) / 32));
  }
}

TEST(Occupancy, ABlockThatDoesNotFitHasItsReason) {
  const auto why = [](BlockResources block, int capability) {
    const Occupancy found = occupancy(block, capability);
    EXPECT_EQ(found.blocks, 0);
    EXPECT_EQ(found.warps, 0);
    return found.limit;
  };
  EXPECT_EQ(why({1025, 32, 0}, 80), "threads: 1025, wanted at most 1024");
  EXPECT_EQ(why({0, 32, 0}, 80), "threads: 0, wanted at least 1");
  EXPECT_EQ(why({32, 256, 0}, 80), "registers of a thread: 256, wanted at most 255");
  EXPECT_EQ(why({1024, 65, 0}, 80), "registers of a block: 73728, wanted at most 65536");
  // Nine warps count as twelve: 12 * 6144, where nine would be 55296.
  EXPECT_EQ(why({288, 192, 0}, 80), "registers of a block: 73728, wanted at most 65536");
  EXPECT_EQ(why({128, 32, 100 << 10}, 86),
            "shared memory of a block: 102400, wanted at most 101376");
}

TEST(Occupancy, NeverExceedsWhatThereIs) {
  for (const int capability : {80, 86, 89, 90}) {
    const MultiprocessorLimits& m = multiprocessor_limits(capability);
    ASSERT_EQ(m.capability, capability);
    for (int threads = 1; threads <= 1024; threads += 31) {
      for (int registers = 1; registers <= 255; registers += 7) {
        const BlockResources block{threads, registers, threads * 40};
        const Occupancy found = occupancy(block, capability);
        EXPECT_LE(found.warps, m.warps);
        EXPECT_LE(found.blocks, m.blocks);
        EXPECT_LE(int64_t{found.warps} * 32 * registers, m.registers);
        EXPECT_LE(found.blocks * (block.shared_bytes + 1024), m.shared_bytes);
      }
    }
  }
}

TEST(Occupancy, OtherCapabilitiesCountAsTheNextLower) {
  EXPECT_EQ(multiprocessor_limits(87).capability, 86);
  EXPECT_EQ(multiprocessor_limits(120).capability, 90);
  EXPECT_EQ(multiprocessor_limits(75).capability, 80);
}

}  // namespace
}  // namespace gatefold::test
