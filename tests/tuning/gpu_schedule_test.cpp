#include "tuning/gpu_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "spec/error.h"
#include "tests/tuning/gpu_places.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

const FfnSpec& block(DType dtype) {
  static const FfnSpec f32{variant_named("swiglu"), DType::f32, {1024, 2816}};
  static const FfnSpec bf16{variant_named("swiglu"), DType::bf16, {1024, 2816}};
  return dtype == DType::f32 ? f32 : bf16;
}

std::vector<std::string> points_of(const GpuSchedule& schedule) {
  std::vector<std::string> points;
  for (const GpuKernel& kernel : schedule.kernels) points.push_back(kernel.point.text());
  return points;
}

TEST(GpuSchedule, TakesTheBestPointOfEachBucketUnderOnePacking) {
  const GpuProfile& gpu = gpu_profile_named("a100-40gb");
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const GpuSchedule schedule = gpu_schedule(block(dtype), Target::cuda_sm80, {1, 16, 512}, gpu);
    ASSERT_EQ(schedule.kernels.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      const GpuKernel& best = schedule.kernels[i];
      EXPECT_EQ(best.point.kernel.packing, schedule.kernels[0].point.kernel.packing);
      EXPECT_EQ(best.estimate.registers, "estimate");
      const GpuRanking ranking = ranked_for_gpu(best.point.kernel, gpu);
      EXPECT_EQ(schedule.rankings[i].points.size(), ranking.points.size());
      EXPECT_EQ(ranking.points.front().point.text(), best.point.text());
      for (size_t p = 1; p < ranking.points.size(); ++p) {
        EXPECT_LE(ranking.points[p - 1].estimate.ms, ranking.points[p].estimate.ms);
      }
    }
    const bool tensor_cores = schedule.kernels[2].point.tensor_core.has_value();
    EXPECT_EQ(tensor_cores, dtype == DType::bf16) << "512 rows";
  }
}

TEST(GpuSchedule, DevicesDiffer) {
  const auto of = [](const char* name) {
    return points_of(
        gpu_schedule(block(DType::bf16), Target::cuda_sm80, {64, 512}, gpu_profile_named(name)));
  };
  EXPECT_NE(of("a10"), of("h100-sxm"));
  const GpuSchedule small =
      gpu_schedule(block(DType::bf16), Target::cuda_sm80, {64}, gpu_profile_named("a10"));
  ASSERT_TRUE(small.refused.count("shared memory of a block"));
  EXPECT_GT(small.refused.at("shared memory of a block").points, 100);
  EXPECT_THAT(small.refused.at("shared memory of a block").example, HasSubstr("at most 101376"));
}

/// An assembler that gives all entries some registers, and lets some points spill.
struct FakeAssembler {
  std::function<bool(const DevicePoint&)> spills;
  int read = 0;

  std::vector<PointResources> operator()(const std::vector<DevicePoint>& points) {
    std::vector<PointResources> all;
    for (const DevicePoint& point : points) {
      ++read;
      all.emplace_back();
      for (const GpuLaunch& launch : launches_of(point, 1 << 20)) {
        all.back().entries.push_back({"k" + launch.entry, 48});
        all.back().entries.back().spill_bytes = spills(point) ? 8 : 0;
      }
    }
    return all;
  }
};

TEST(GpuSchedule, WhatSpillsGivesWayToTheNextBest) {
  const GpuProfile& gpu = gpu_profile_named("a100-40gb");
  const GpuSchedule trusted = gpu_schedule(block(DType::bf16), Target::cuda_sm80, {512}, gpu);
  const std::string first = code_class(trusted.kernels[0].point);
  FakeAssembler assembler{[&](const DevicePoint& p) { return code_class(p) == first; }};
  const GpuSchedule schedule = gpu_schedule(block(DType::bf16), Target::cuda_sm80, {512}, gpu,
                                            [&](const auto& points) { return assembler(points); });
  EXPECT_NE(code_class(schedule.kernels[0].point), first);
  EXPECT_EQ(schedule.kernels[0].estimate.registers, "ptxas");
  ASSERT_EQ(schedule.notes.size(), 1u);
  EXPECT_THAT(schedule.notes[0], HasSubstr("512 rows: not '" + trusted.kernels[0].point.text()));
  EXPECT_THAT(schedule.notes[0], HasSubstr("spills 8 bytes with 48 registers"));
  ASSERT_TRUE(schedule.refused.count("spills"));
  EXPECT_THAT(schedule.refused.at("spills").example, HasSubstr("k_hidden: spills 8 bytes"));
  EXPECT_LT(assembler.read, 60) << "one point of each kind of code, not every point";
}

TEST(GpuSchedule, WhereAllCodeSpillsThereIsNone) {
  FakeAssembler assembler{[](const DevicePoint&) { return true; }};
  FfnSpec ffn = block(DType::f32);
  ffn.shape = {64, 64};
  try {
    gpu_schedule(ffn, Target::cuda_sm80, {1}, gpu_profile_named("a100-40gb"),
                 [&](const auto& points) { return assembler(points); });
    FAIL() << "there is a point left";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("1 rows: no point for a100-40gb is left, 'fusion="));
    EXPECT_THAT(e.what(), HasSubstr("spills 8 bytes"));
  }
}

TEST(GpuSchedule, ABlockThatIsTooLargeHasItsReason) {
  FfnSpec ffn = block(DType::f32);
  ffn.shape = {1 << 20, 1 << 20};
  try {
    gpu_schedule(ffn, Target::cuda_sm80, {1}, gpu_profile_named("a100-40gb"));
    FAIL() << "there is a point";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("d_model * d_ff"));
  }
}

TEST(GpuSchedule, LeadersAreOfBothGeneratorsAndDifferInTheirCode) {
  const GpuRanking ranking =
      ranked_for_gpu(gpu_place(DType::bf16, 4), gpu_profile_named("a100-40gb"));
  const std::vector<GpuKernel> leaders = leaders_of(ranking, 3);
  ASSERT_EQ(leaders.size(), 6u);
  std::set<std::string> codes;
  int tensor_cores = 0;
  for (size_t i = 0; i < leaders.size(); ++i) {
    EXPECT_TRUE(codes.insert(code_class(leaders[i].point)).second) << leaders[i].point.text();
    tensor_cores += leaders[i].point.tensor_core.has_value();
    if (i > 0) {
      EXPECT_LE(leaders[i - 1].estimate.ms, leaders[i].estimate.ms);
    }
  }
  EXPECT_EQ(tensor_cores, 3);
  EXPECT_EQ(leaders[0].point.text(), ranking.points[0].point.text());
}

TEST(GpuSchedule, TheGpuMustRunTheTarget) {
  const auto error = [](Target target, const char* name) -> std::string {
    try {
      gpu_schedule(block(DType::f32), target, {1}, gpu_profile_named(name));
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(error(Target::cuda_sm90, "a10"),
            "--gpu: 'a10' has capability 86, wanted at least 90 for cuda-sm90");
  EXPECT_EQ(error(Target::x86_avx2, "a10"), "--gpu: with --target x86-avx2, wanted one of CUDA");
  EXPECT_EQ(error(Target::opencl, "a10"), "--gpu: with --target opencl, wanted one of CUDA");
  EXPECT_EQ(error(Target::cuda_sm80, "h100-sxm"), "no error");
}

TEST(GpuWinners, AreReadBackAsTheModels) {
  const GpuProfile& gpu = gpu_profile_named("l4");
  const GpuSchedule made = gpu_schedule(block(DType::bf16), Target::cuda_sm80, {1, 256}, gpu);
  const std::vector<WinnerSet> sets =
      parse_winners(winners_json({gpu_winners(made, gpu)}), "w.json");
  ASSERT_EQ(sets.size(), 1u);
  EXPECT_TRUE(sets[0].from_model());
  EXPECT_EQ(sets[0].key.cpu, "l4");
  EXPECT_EQ(sets[0].key.target, Target::cuda_sm80);
  ASSERT_EQ(sets[0].winners.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(sets[0].winners[i].cell.point, made.kernels[i].point.text());
    EXPECT_EQ(sets[0].winners[i].cell.origin, "model");
  }
}

TEST(GpuWinners, OfThreadsBecomeASchedule) {
  const GpuProfile& gpu = gpu_profile_named("l4");
  const GpuSchedule made = gpu_schedule(block(DType::f32), Target::cuda_sm80, {1, 256}, gpu);
  const WinnerQuery query{block(DType::f32), Target::cuda_sm80, "", true, ""};
  const Schedule read = schedule_from_winners({gpu_winners(made, gpu)}, query, {1, 256},
                                              cpu_profile_named("generic"));
  ASSERT_EQ(read.kernels.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.kernels[i].spec.point, made.kernels[i].point.kernel.point);
    EXPECT_EQ(read.kernels[i].record.origin, "model");
  }
  EXPECT_THAT(read.notes, testing::ElementsAre("worked out for l4"));
}

TEST(DevicePoint, TextIsCheckedByItsKind) {
  check_point_text("fusion=gated mr=1 streams=2");
  check_point_text(TensorCorePoint().text());
  EXPECT_THROW(check_point_text("bm=128 bn=64"), Error);
  EXPECT_THROW(check_point_text("mr=1 bm=128"), Error);
  EXPECT_THROW(check_point_text(""), Error);
}

}  // namespace
}  // namespace gatefold::test
