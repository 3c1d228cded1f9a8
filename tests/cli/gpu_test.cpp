#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/gpu_profile.h"
#include "spec/occupancy.h"
#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"
#include "tuning/winners.h"

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

std::vector<std::string> small_block(const char* dtype) {
  return {"tune", "--variant", "swiglu",    "--d-model", "512",      "--d-ff",
          "1365", "--dtype",   dtype,       "--rows",    "1,256",    "--ptxas",
          "none", "--gpu",     "a100-40gb", "--target",  "cuda-sm80"};
}

TEST(Gpus, TuneForOneSaysWhatIsEstimated) {
  const TempFolder folder;
  std::vector<std::string> words = small_block("f32");
  words.insert(words.end(), {"--json", "--top", "2", "--export", folder / "w.json"});
  const Outcome outcome = gatefold(words);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, testing::HasSubstr("registers are estimates"));
  const auto json = outcome.json();
  EXPECT_EQ(json["gpu"], "a100-40gb");
  EXPECT_EQ(json["measured"], false);
  EXPECT_TRUE(json["ptxas"].is_null());
  ASSERT_EQ(json["kernels"].size(), 2u);
  for (const auto& kernel : json["kernels"]) {
    EXPECT_EQ(kernel["origin"], "model");
    EXPECT_EQ(kernel["registers_from"], "estimate");
    EXPECT_GT(kernel["model_ms"], kernel["roof_ms"]);
    EXPECT_FALSE(kernel.contains("median_ms"));
    ASSERT_EQ(kernel["candidates"].size(), 2u);
    EXPECT_EQ(kernel["candidates"][0]["point"], kernel["point"]);
    for (const auto& launch : kernel["launches"]) EXPECT_GE(launch["blocks_at_once"], 1) << launch;
  }
  const std::vector<WinnerSet> sets = load_winners(folder / "w.json");
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_EQ(sets[0].key.cpu, "a100-40gb");
  EXPECT_EQ(sets[0].winners[1].cell.point, json["kernels"][1]["point"]);
}

TEST(Gpus, TuneForOnePrintsThatNothingWasMeasured) {
  const std::string text = gatefold(small_block("bf16")).out;
  EXPECT_THAT(text, testing::HasSubstr("nothing was measured"));
  EXPECT_THAT(text, testing::ContainsRegex(" 256 +tensor cores .*estimate .*bm="));
}

}  // namespace
}  // namespace gatefold::test
