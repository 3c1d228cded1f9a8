#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/gpu_profile.h"
#include "spec/occupancy.h"
#include "tests/cli/gatefold_process.h"

namespace gatefold::test {
namespace {

TEST(Gpus, ListGpusHasEveryFigureAndItsSource) {
  const auto json = gatefold({"list", "gpus", "--json"}).json();
  ASSERT_EQ(json["items"].size(), all_gpu_profiles().size());
  for (size_t i = 0; i < all_gpu_profiles().size(); ++i) {
    const auto& item = json["items"][i];
    const GpuProfile& gpu = all_gpu_profiles()[i];
    const MultiprocessorLimits& limits = multiprocessor_limits(gpu.capability);
    EXPECT_EQ(item["name"], gpu.name);
    EXPECT_EQ(item["capability"], gpu.capability);
    EXPECT_EQ(item["multiprocessors"], gpu.multiprocessors);
    EXPECT_EQ(item["memory_bytes_per_s"], gpu.memory_bytes_per_s);
    EXPECT_EQ(item["f32_flops"], gpu.f32_flops);
    EXPECT_EQ(item["tensor_flops"], gpu.tensor_flops);
    EXPECT_EQ(item["blocks"], limits.blocks);
    EXPECT_EQ(item["shared_of_block"], limits.shared_bytes_of_block);
    EXPECT_EQ(item["source"], gpu.source);
  }
  const std::string table = gatefold({"list", "gpus"}).out;
  EXPECT_THAT(table, testing::ContainsRegex("h200-sxm +H200 SXM 141 GB +9.0 +132 +1980 +4800 "));
}

}  // namespace
}  // namespace gatefold::test
