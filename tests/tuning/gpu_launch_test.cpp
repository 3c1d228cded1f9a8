#include "tuning/gpu_launch.h"

#include <gtest/gtest.h>

#include "spec/error.h"
#include "tests/tuning/gpu_places.h"

namespace gatefold::test {
namespace {

constexpr int64_t kL2 = 40 << 20;

/// 64 columns of two streams a block: 11008 / 64 panels of gate and up, 4096 / 128 of down in 6.
TEST(GpuLaunch, ThreadsOfOneRow) {
  const DevicePoint point =
      thread_point(DType::f32, 1, "fusion=gated mr=1 streams=2 ks=4 slices=6");
  const std::vector<GpuLaunch> launches = launches_of(point, kL2);
  ASSERT_EQ(launches.size(), 4u);
  EXPECT_EQ(launches[0].name, "x");
  const GpuLaunch &first = launches[1], &down = launches[2];
  EXPECT_EQ(first.blocks, 172);
  EXPECT_EQ(first.block.threads, 64 * 4);
  EXPECT_EQ(first.block.shared_bytes, 256 * 2 * 4);
  EXPECT_EQ(down.blocks, 32 * 6);
  // 4096 columns by 11008 k by 2 matrices, then one; nothing else is of that size.
  EXPECT_NEAR(first.memory_bytes, 4.0 * 2 * 4096 * 11008, 1e5);
  EXPECT_NEAR(down.memory_bytes, 4.0 * 4096 * 11008, 1e5);
  // A thread has a fourth of 4096 k, 4 of them a load, of two streams.
  EXPECT_EQ(first.work.loads, 4096 / 4 / 4 * 2);
  EXPECT_EQ(first.work.loads_ahead, 8 * 2);
  EXPECT_EQ(first.work.fma * 32 * double(first.blocks), 2.0 * 4096 * 11008);
  EXPECT_EQ(first.work.mma, 0);
}

/// Tiles of 128 x 64: 4 x 172 of gate and up, of down by 128 columns 4 x 32.
TEST(GpuLaunch, TensorCoresOf512Rows) {
  const DevicePoint point = tensor_point(512, {.bm = 128, .bn = 64, .bk = 32, .stages = 4});
  const std::vector<GpuLaunch> launches = launches_of(point, kL2);
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches[0].blocks, 4 * 172);
  EXPECT_EQ(launches[1].blocks, 4 * 32);
  EXPECT_EQ(launches[0].block.threads, 128);
  // One of 16 x 8 x 16 each.
  EXPECT_EQ(launches[0].work.mma * double(launches[0].blocks), 512.0 * 11008 * 2 * 4096 / 2048);
  EXPECT_EQ(launches[1].work.mma * double(launches[1].blocks), 512.0 * 11008 * 4096 / 2048);
  EXPECT_EQ(launches[0].work.loads, 4096 / 32);
  EXPECT_EQ(launches[0].work.loads_ahead, 3);
  EXPECT_GE(launches[0].memory_bytes, 2.0 * 2 * 4096 * 11008 + 512 * 4096 * 2);
}

TEST(GpuLaunch, PartsOfKAreAddedUpByOneMore) {
  TensorCorePoint tile{.bm = 16, .bn = 64, .bk = 64, .stages = 4, .warps_m = 1, .warps_n = 4};
  const size_t whole = launches_of(tensor_point(16, tile), kL2).size();
  tile.split_k = 4;
  const std::vector<GpuLaunch> parted = launches_of(tensor_point(16, tile), kL2);
  ASSERT_EQ(parted.size(), whole + 1);
  EXPECT_EQ(parted.back().name, "sum");
  EXPECT_EQ(parted[1].blocks, 32 * 4);
  EXPECT_EQ(parted.back().work.read_bytes * double(parted.back().blocks), 4.0 * 4 * 16 * 4096);
}

TEST(GpuLaunch, WhatL2DoesNotHoldComesFromMemory) {
  const DevicePoint point = tensor_point(512, {});
  const double held = launches_of(point, kL2)[1].memory_bytes;
  const double hidden = 512.0 * 11008 * 2;
  EXPECT_EQ(launches_of(point, 6 << 20)[1].memory_bytes, held + hidden);
}

TEST(GpuLaunch, SizesMustBeKnown) {
  DevicePoint point{gpu_place(DType::f32, 1, {4096, Shape::kAny}), {}};
  try {
    launches_of(point, kL2);
    FAIL() << "d_ff is any";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_NE(std::string(e.what()).find("4096xany, wanted fixed ones"), std::string::npos)
        << e.what();
  }
}

TEST(GpuLaunch, EveryLegalPointHasAtLeastTheWorkOfItsBlock) {
  for (const char* variant : {"swiglu", "relu"}) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      const KernelSpec place = gpu_place(dtype, 3, {341, 85}, variant);
      const double least_fma = least_flops(place) / 2 / 32, least_mma = least_flops(place) / 4096;
      for (const DevicePoint& point : legal_device_points(place)) {
        double fma = 0, mma = 0, bytes = 0;
        for (const GpuLaunch& l : launches_of(point, kL2)) {
          fma += l.work.fma * double(l.blocks);
          mma += l.work.mma * double(l.blocks);
          bytes += l.memory_bytes;
          EXPECT_GT(l.blocks, 0) << point.text();
          EXPECT_GT(l.work.loads_ahead, 0) << point.text();
        }
        EXPECT_GE(bytes, least_memory_bytes(place)) << point.text();
        if (point.tensor_core) {
          EXPECT_GE(mma, least_mma) << point.text();
        } else {
          EXPECT_GE(fma, least_fma) << point.text();
        }
      }
    }
  }
}

}  // namespace
}  // namespace gatefold::test
