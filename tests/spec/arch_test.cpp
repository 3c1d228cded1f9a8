#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec/error.h"
#include "spec/target.h"

namespace gatefold {
namespace {

using testing::HasSubstr;

TEST(Archs, AreInTheOrderOfTheirEnum) {
  for (const ArchInfo& arch : all_archs()) EXPECT_EQ(&info(arch.arch), &arch);
}

TEST(Archs, OfTargets) {
  EXPECT_EQ(arch_of({Target::x86_avx2, Target::x86_avx512}), Arch::x86_64);
  EXPECT_EQ(arch_of({Target::arm64_neon, Target::arm64_neon_dotprod}), Arch::arm64);
}

TEST(Archs, MixedAreRefusedByBothNames) {
  try {
    arch_of({Target::x86_avx2, Target::x86_avx512, Target::arm64_neon_dotprod});
    FAIL() << "took targets of two architectures";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("--target: 'x86-avx2' is for x86_64 and "
                                        "'arm64-neon-dotprod' for arm64"));
  }
}

TEST(Devices, AreNoTargetsOfAnArchitecture) {
  for (const ArchInfo& arch : all_archs()) {
    for (const TargetInfo& target : targets_of(arch.arch)) EXPECT_EQ(target.device, Device::cpu);
  }
  EXPECT_EQ(cpu_targets().size() + device_targets().size(), all_targets().size());
  EXPECT_EQ(info(Target::cuda_sm80).device, Device::cuda);
  EXPECT_EQ(target_named("opencl").device, Device::opencl);
}

/// One library may hold kernels of both, since the host's code is of one architecture.
TEST(Devices, StandBesideCpusInALibrary) {
  EXPECT_EQ(arch_of({Target::x86_avx2, Target::cuda_sm80}), Arch::x86_64);
}

}  // namespace
}  // namespace gatefold
