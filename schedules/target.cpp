#include <Halide.h>

#include "schedules/cpu_schedule.h"
#include "schedules/cuda.h"
#include "schedules/ffn_stages.h"

namespace gatefold {

Halide::Target halide_target(const KernelSpec& kernel) {
  using Feature = Halide::Target::Feature;
  Halide::Target target = Halide::Target(info(kernel.target).halide)
                              .with_feature(Feature::NoRuntime)
                              .with_feature(Feature::NoBoundsQuery)
                              .with_feature(Feature::UserContext);
  // Without it Halide 21 converts f16 in integer steps, although every NEON has instructions for
  // that. Kernels do no arithmetic in f16, so nothing that only this feature brings is emitted.
  if (info(kernel.target).arch == Arch::arm64 && kernel.ffn.dtype == DType::f16) {
    target.set_feature(Feature::ARMFp16);
  }
  return target;
}

namespace {

void schedule_cpu(FfnStages& stages) {
  switch (info(stages.kernel.target).arch) {
    case Arch::x86_64:
      return schedule_x86(stages);
    case Arch::arm64:
      return schedule_neon(stages);
  }
}

}  // namespace

void schedule(FfnStages& stages) {
  switch (info(stages.kernel.target).device) {
    case Device::cpu:
      return schedule_cpu(stages);
    case Device::cuda:
    case Device::opencl:
      return schedule_device(stages);
  }
}

}  // namespace gatefold
