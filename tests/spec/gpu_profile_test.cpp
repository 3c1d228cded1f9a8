#include "spec/gpu_profile.h"

#include <gtest/gtest.h>

#include <set>

#include "spec/error.h"
#include "spec/occupancy.h"

namespace gatefold::test {
namespace {

/// A digit too many or a figure with sparsity falls out of these.
TEST(GpuProfiles, ArePlausible) {
  for (const GpuProfile& gpu : all_gpu_profiles()) {
    EXPECT_EQ(multiprocessor_limits(gpu.capability).capability, gpu.capability) << gpu.name;
    EXPECT_GE(gpu.multiprocessors, 40) << gpu.name;
    EXPECT_LE(gpu.multiprocessors, 160) << gpu.name;
    EXPECT_GE(gpu.memory_bytes_per_s, 300e9) << gpu.name;
    EXPECT_LE(gpu.memory_bytes_per_s, 4.8e12) << gpu.name;
    EXPECT_GE(gpu.l2_bytes, 4 << 20) << gpu.name;
    EXPECT_LE(gpu.l2_bytes, 96 << 20) << gpu.name;
    EXPECT_NE(gpu.source.find("NVIDIA"), std::string::npos) << gpu.name;
  }
}

/// Two operations for each multiply-add, each clock, on each multiprocessor.
TEST(GpuProfiles, PeaksOfF32FollowFromTheClock) {
  for (const GpuProfile& gpu : all_gpu_profiles()) {
    const int lanes = multiprocessor_limits(gpu.capability).f32_per_clock;
    const double peak = 2.0 * lanes * gpu.multiprocessors * gpu.clock_hz;
    EXPECT_NEAR(gpu.f32_flops / peak, 1, 0.01) << gpu.name;
  }
}

/// Multiply-adds of 16 bits a clock and multiprocessor: 1024 on an A100, 512 on Ampere's and Ada's
/// other chips and half of it on GeForce boards, 2048 on an H100 at a lower clock.
TEST(GpuProfiles, PeaksOfTensorCoresAreWithoutSparsity) {
  for (const GpuProfile& gpu : all_gpu_profiles()) {
    const double found = gpu.tensor_flops / 2 / gpu.multiprocessors / gpu.clock_hz;
    const bool geforce = gpu.name.starts_with("rtx");
    const double wanted = gpu.capability == 80   ? 1024
                          : gpu.capability == 90 ? 2048 * 1830.0 / 1980
                          : geforce              ? 256
                                                 : 512;
    EXPECT_NEAR(found / wanted, 1, 0.02) << gpu.name;
  }
}

TEST(GpuProfiles, AreFoundByName) {
  std::set<std::string> names;
  std::set<int> capabilities;
  for (const GpuProfile& gpu : all_gpu_profiles()) {
    EXPECT_EQ(&gpu_profile_named(gpu.name), &gpu);
    EXPECT_TRUE(names.insert(gpu.name).second) << gpu.name;
    capabilities.insert(gpu.capability);
  }
  EXPECT_EQ(capabilities, (std::set<int>{80, 86, 89, 90}));
  try {
    gpu_profile_named("h100");
    FAIL() << "h100 is none";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("unknown GPU profile 'h100'"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace gatefold::test
