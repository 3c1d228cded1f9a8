#include "tuning/gpu_estimate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tuning/gpu_places.h"
#include "tuning/gpu_constants.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

const GpuProfile& gpu(const char* name) { return gpu_profile_named(name); }

double ms(const DevicePoint& point, const char* name = "h100-sxm") {
  const GpuEstimate estimate = gpu_estimate(point, gpu(name));
  EXPECT_EQ(estimate.refused.value_or(""), "") << point.text();
  return estimate.ms;
}

/// 132 blocks, one for each multiprocessor of an H100.
DevicePoint one_row(int stages) {
  return tensor_point(
      1,
      {.bm = 16, .bn = 32, .bk = 32, .stages = stages, .warps_m = 1, .warps_n = 2, .split_k = 4});
}

/// Little's law: 3.35 TB/s by 700 ns are 2.3 MB, 18 KB for each of 132 multiprocessors.
TEST(GpuEstimate, OneRowNeedsBytesInFlight) {
  const GpuEstimate few = gpu_estimate(one_row(2), gpu("h100-sxm"));
  const GpuEstimate many = gpu_estimate(one_row(6), gpu("h100-sxm"));
  EXPECT_LT(few.launches[0].bytes_in_flight, 18e3);
  EXPECT_EQ(few.launches[0].bound, "latency");
  EXPECT_GT(many.launches[0].bytes_in_flight, 18e3);
  EXPECT_EQ(many.launches[0].bound, "memory");
  EXPECT_GT(few.ms, 1.2 * many.ms);
  // The same of threads, where registers say how many loads are under way.
  const DevicePoint thin =
      thread_point(DType::f32, 1, "fusion=gated mr=1 streams=2 ks=1 slices=4 xpack=0");
  const DevicePoint wide =
      thread_point(DType::f32, 1, "fusion=gated mr=1 streams=2 ks=4 slices=4 xpack=0");
  std::vector<EntryResources> starved = {
      {"_kernel_hidden_s0", 20}, {"_kernel_down_s0", 20}, {"_kernel_y_s0", 20}};
  const GpuEstimate slow = gpu_estimate(thin, gpu("h100-sxm"), starved);
  EXPECT_EQ(slow.registers, "ptxas");
  EXPECT_EQ(slow.launches[0].bound, "latency");
  EXPECT_GT(slow.ms, 1.2 * ms(wide));
}

/// A tile of 16 rows reads all weights 32 times, from L2.
TEST(GpuEstimate, ManyRowsNeedLargeTiles) {
  const TensorCorePoint tiny{.bm = 16, .bn = 32, .bk = 32, .stages = 4, .warps_m = 1, .warps_n = 2};
  const TensorCorePoint middling{.bm = 64, .bn = 64, .bk = 32, .stages = 4};
  const TensorCorePoint large{.bm = 128, .bn = 64, .bk = 32, .stages = 4};
  for (const char* name : {"a100-40gb", "a10", "rtx-4090", "h100-sxm"}) {
    EXPECT_GT(ms(tensor_point(512, tiny), name), 1.3 * ms(tensor_point(512, middling), name))
        << name;
    EXPECT_GT(ms(tensor_point(4096, middling), name), ms(tensor_point(4096, large), name)) << name;
  }
}

/// With 128 rows of a small block a large tile leaves most multiprocessors without one.
TEST(GpuEstimate, UntilThereAreTooFewBlocks) {
  const auto small = [](const TensorCorePoint& tile) {
    return DevicePoint{gpu_place(DType::bf16, 128, {1024, 2816}), tile};
  };
  const DevicePoint large =
      small({.bm = 128, .bn = 128, .bk = 32, .stages = 4, .warps_m = 2, .warps_n = 4});
  const DevicePoint less = small({.bm = 64, .bn = 32, .bk = 32, .stages = 4});
  EXPECT_LT(gpu_estimate(large, gpu("h100-sxm")).launches[0].blocks, 132 / 4);
  EXPECT_GT(ms(large), ms(less));
}

/// A wave that is one block short of full takes as long as a full one; one more block a second
/// wave.
TEST(GpuEstimate, TheLastWaveCounts) {
  const auto of_rows = [](int64_t rows) {
    return gpu_estimate(
               tensor_point(
                   rows, {.bm = 128, .bn = 128, .bk = 32, .stages = 6, .warps_m = 2, .warps_n = 4}),
               gpu("h100-sxm"))
        .launches[0];
  };
  // 86 blocks for each 128 rows, one on each of 132 multiprocessors at a time.
  ASSERT_EQ(of_rows(128).occupancy.blocks, 1);
  EXPECT_NEAR(of_rows(128).waves, 86.0 / 132, 1e-9);
  EXPECT_NEAR(of_rows(256).waves, 172.0 / 132, 1e-9);
  const double one = of_rows(128).ms, two = of_rows(256).ms, three = of_rows(384).ms;
  EXPECT_GT(two, 1.5 * one);
  EXPECT_LT(three, 1.1 * two) << "258 of 264";
}

TEST(GpuEstimate, NothingIsAboveTheRoof) {
  for (const GpuProfile& profile : all_gpu_profiles()) {
    for (const int64_t rows : {int64_t{1}, int64_t{65}, int64_t{2048}}) {
      for (const DType dtype : {DType::f32, DType::f16}) {
        const KernelSpec place = gpu_place(dtype, rows, {1024, 2816});
        int64_t run = 0;
        for (const DevicePoint& point : legal_device_points(place)) {
          const GpuEstimate e = gpu_estimate(point, profile);
          if (e.refused) continue;
          ++run;
          ASSERT_LT(e.share_of_roof(), 1) << profile.name << " " << rows << " " << point.text();
          ASSERT_GT(e.share_of_roof(), 0) << profile.name << " " << rows << " " << point.text();
        }
        EXPECT_GT(run, 50) << profile.name << " " << rows;
      }
    }
  }
}

/// 64 MiB of x are read by two waves of two groups of columns each; the hidden layer is small.
TEST(GpuEstimate, AnInputThatL2DoesNotHoldIsReadAgain) {
  const DevicePoint point{gpu_place(DType::bf16, 4096, {8192, 256}),
                          TensorCorePoint{.bm = 128, .bn = 64, .bk = 32, .stages = 4}};
  GpuProfile large = gpu("a10");
  large.l2_bytes = 1 << 30;
  const LaunchEstimate again = gpu_estimate(point, gpu("a10")).launches[0];
  const LaunchEstimate once = gpu_estimate(point, large).launches[0];
  ASSERT_GT(again.waves, 1);
  EXPECT_GT(again.ms, 1.01 * once.ms);
}

TEST(GpuEstimate, TheRoofIsBandwidthOrProducts) {
  const double bytes = 3.0 * 4096 * 11008 * 2 + 2.0 * 4096 * 2;
  EXPECT_DOUBLE_EQ(gpu_roof_ms(gpu_place(DType::bf16, 1), gpu("a100-40gb")), bytes / 1555e9 * 1e3);
  const double flops = 2.0 * 4096 * 3 * 4096 * 11008;
  EXPECT_DOUBLE_EQ(gpu_roof_ms(gpu_place(DType::bf16, 4096), gpu("a100-40gb")),
                   flops / 312e12 * 1e3);
  EXPECT_DOUBLE_EQ(gpu_roof_ms(gpu_place(DType::f32, 4096), gpu("a100-40gb")),
                   flops / 19.5e12 * 1e3);
}

TEST(GpuEstimate, WhatDoesNotFitOrSpillsHasItsReason) {
  // 144 KiB of stages: an A100 has 163 for a block, an A10 99.
  const DevicePoint point = tensor_point(
      64, {.bm = 64, .bn = 64, .bk = 64, .stages = 6, .warps_m = 2, .warps_n = 2, .split_k = 2});
  EXPECT_FALSE(gpu_estimate(point, gpu("a100-40gb")).refused);
  EXPECT_EQ(gpu_estimate(point, gpu("a10")).refused.value_or(""),
            "gate/up: shared memory of a block: 147456, wanted at most 101376");
  std::vector<EntryResources> entries = {
      {"block_hidden", 200}, {"block_down", 255}, {"block_sum", 34}};
  EXPECT_FALSE(gpu_estimate(point, gpu("a100-40gb"), entries).refused);
  entries[1].spill_bytes = 12;
  EXPECT_EQ(gpu_estimate(point, gpu("a100-40gb"), entries).refused.value_or(""),
            "block_down: spills 12 bytes with 255 registers, wanted none");
}

TEST(GpuConstants, EveryProfileHasItsOwn) {
  for (const GpuProfile& profile : all_gpu_profiles()) {
    EXPECT_EQ(gpu_constants(profile.capability).capability, profile.capability) << profile.name;
  }
  EXPECT_EQ(gpu_constants(100).capability, 90);
}

}  // namespace
}  // namespace gatefold::test
