#include "tuning/model_schedule.h"

#include <gtest/gtest.h>

#include "schedules/space.h"
#include "tuning/cost_model.h"

namespace gatefold::test {
namespace {

const FfnSpec& block() {
  static const FfnSpec ffn{variant_named("swiglu"), DType::f32, {896, 4864}, false};
  return ffn;
}

TEST(ModelSchedule, TakesTheBestPointOfEachBucketUnderOnePacking) {
  for (const TargetInfo& target : cpu_targets()) {
    const CpuProfile& cpu = cpu_profile_named("zen4");
    const Schedule schedule = model_schedule(block(), target.target, {1, 16}, cpu);
    ASSERT_EQ(schedule.kernels.size(), 2u);
    EXPECT_EQ(schedule.kernels[0].spec.packing, schedule.kernels[1].spec.packing);
    for (const LibraryKernel& kernel : schedule.kernels) {
      EXPECT_EQ(kernel.record.origin, "model");
      EXPECT_EQ(why_illegal(kernel.spec).value_or(""), "");
      KernelSpec other = kernel.spec;
      const double best = predicted_ms(kernel.spec, cpu, 1);
      for (const SchedulePoint& point : legal_points(kernel.spec)) {
        other.point = point;
        ASSERT_LE(best, predicted_ms(other, cpu, 1)) << point.text();
      }
    }
  }
}

std::string tile(const SchedulePoint& p) {
  return std::to_string(p.mr) + "x" + std::to_string(p.streams);
}

TEST(ModelSchedule, WhatTheCodeShowsToBeSlowGivesWayToTheNextBest) {
  const CpuProfile& cpu = cpu_profile_named("zen3");
  const Schedule first = model_schedule(block(), Target::x86_avx2, {64}, cpu);
  const std::string refused = tile(first.kernels[0].spec.point);
  size_t compiled = 0;
  const CodeCheck check = [&](const std::vector<KernelSpec>& kernels) {
    compiled += kernels.size();
    std::vector<std::optional<std::string>> reasons;
    for (const KernelSpec& k : kernels) {
      reasons.push_back(tile(k.point) == refused ? std::optional<std::string>("it spills")
                                                 : std::nullopt);
    }
    return reasons;
  };
  const Schedule second = model_schedule(block(), Target::x86_avx2, {64}, cpu, check);
  ASSERT_EQ(second.kernels.size(), 1u);
  EXPECT_NE(tile(second.kernels[0].spec.point), refused);
  ASSERT_FALSE(second.notes.empty());
  EXPECT_NE(second.notes[0].find("64 rows: 'fusion="), std::string::npos) << second.notes[0];
  EXPECT_NE(second.notes[0].find("it spills"), std::string::npos) << second.notes[0];
  EXPECT_LE(compiled, 120u) << "one point of each hot loop, not every point";
  EXPECT_GE(predicted_ms(second.kernels[0].spec, cpu, 1),
            predicted_ms(first.kernels[0].spec, cpu, 1));
}

TEST(ModelSchedule, WhereAllCodeIsRefusedTheDefaultStays) {
  const CpuProfile& cpu = cpu_profile_named("zen3");
  const CodeCheck check = [](const std::vector<KernelSpec>& kernels) {
    return std::vector<std::optional<std::string>>(kernels.size(), "it spills");
  };
  const Schedule schedule = model_schedule(block(), Target::x86_avx2, {4}, cpu, check);
  ASSERT_EQ(schedule.kernels.size(), 1u);
  const KernelSpec& kernel = schedule.kernels[0].spec;
  EXPECT_EQ(kernel.point, default_point(kernel, cpu));
}

TEST(ModelWinners, AreReadBackForTheSameCoreWithoutTimes) {
  const CpuProfile& cpu = cpu_profile_named("neoverse-n1");
  const std::vector<int64_t> rows = {1, 16};
  std::vector<LibraryKernel> kernels;
  for (const Target target : {Target::arm64_neon, Target::arm64_neon_dotprod}) {
    const Schedule schedule = model_schedule(block(), target, rows, cpu);
    kernels.insert(kernels.end(), schedule.kernels.begin(), schedule.kernels.end());
  }
  const std::vector<WinnerSet> sets =
      parse_winners(winners_json(model_winners(kernels, cpu.name)), "w.json");
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_TRUE(sets[1].from_model());
  WinnerQuery query{block(), Target::arm64_neon_dotprod, "", true, cpu.core};
  const Schedule read = schedule_from_winners(sets, query, rows, cpu);
  EXPECT_TRUE(read.notes.empty()) << read.notes[0];
  ASSERT_EQ(read.kernels.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.kernels[i].spec.point, kernels[2 + i].spec.point);
    EXPECT_EQ(read.kernels[i].record.origin, "model");
    EXPECT_EQ(read.kernels[i].record.match, "micro_architecture");
    EXPECT_FALSE(read.kernels[i].record.median_ms);
  }
  query.micro_architecture = "neoverse-v2";
  const Schedule other = schedule_from_winners(sets, query, rows, cpu);
  EXPECT_EQ(other.kernels[0].record.match, "isa");
  ASSERT_EQ(other.notes.size(), 1u);
  EXPECT_EQ(other.notes[0], "worked out for a CPU with the same instructions only: neoverse-n1");
}

TEST(ModelSchedule, ABlockThatIsTooLargeKeepsItsReason) {
  FfnSpec ffn = block();
  ffn.shape = {1 << 20, 1 << 20};
  const Schedule schedule =
      model_schedule(ffn, Target::x86_avx2, {1}, cpu_profile_named("generic"));
  ASSERT_EQ(schedule.kernels.size(), 1u);
  EXPECT_NE(why_illegal(schedule.kernels[0].spec).value_or("").find("d_model * d_ff"),
            std::string::npos);
}

}  // namespace
}  // namespace gatefold::test
