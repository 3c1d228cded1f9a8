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
  for (const TargetInfo& target : all_targets()) {
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
