#include "runtime/cpu_features.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "gatefold/gatefold.h"
#include "spec/target.h"
#include "tests/runtime/host_targets.h"

namespace gatefold {
namespace {

constexpr uint64_t kAvxState = 0x7;
constexpr uint64_t kAvx512State = 0xe7;

// The words as these CPUs give them, leaf 1 ecx with OSXSAVE set.
constexpr CpuidWords kSandyBridge = {0x1fbae3ff, 0, 0, 0, 0x1};
constexpr CpuidWords kHaswell = {0x7ffafbff, 0x000027ab, 0, 0, 0x21};
constexpr CpuidWords kSkylakeX = {0x7ffefbff, 0xd39ffffb, 0x00000008, 0, 0x121};
constexpr CpuidWords kIceLake = {0x7ffefbff, 0xf3bfffef, 0x00405f6e, 0, 0x121};
constexpr CpuidWords kCooperLake = {0x7ffefbff, 0xd39ffffb, 0x00000818, 0x20, 0x121};
constexpr CpuidWords kSapphireRapids = {0x7ffefbff, 0xf3bfbfff, 0x1b415f6e, 0x1c30, 0x121};
constexpr CpuidWords kZen3 = {0x7ef8320b, 0x219c97a9, 0x0040068c, 0, 0x75c237ff};
constexpr CpuidWords kZen4 = {0x7ef8320b, 0xf1bf97a9, 0x00405fce, 0x20, 0x75c237ff};
constexpr CpuidWords kZen5 = {0x7ef8320b, 0xf1bf97a9, 0x18405fce, 0x30, 0x75c237ff};

std::string usable(const CpuidWords& words, uint64_t xcr0) {
  std::string names;
  for (const char* target : {"x86-avx2", "x86-avx512", "x86-avx512-bf16"}) {
    if (target_usable(target, words, xcr0)) names += std::string(" ") + (target + 4);
  }
  return names;
}

TEST(CpuFeatures, EachGenerationRunsWhatItHas) {
  EXPECT_EQ(usable(kSandyBridge, kAvxState), "");
  EXPECT_EQ(usable(kHaswell, kAvxState), " avx2");
  EXPECT_EQ(usable(kSkylakeX, kAvx512State), " avx2 avx512");
  EXPECT_EQ(usable(kZen3, kAvxState), " avx2");
  EXPECT_EQ(usable(kSapphireRapids, kAvx512State), " avx2 avx512 avx512-bf16");
  EXPECT_EQ(usable(kZen4, kAvx512State), " avx2 avx512 avx512-bf16");
  EXPECT_EQ(usable(kZen5, kAvx512State), " avx2 avx512 avx512-bf16");
}

TEST(CpuFeatures, VnniWithoutBf16IsNotTheDotTarget) {
  EXPECT_EQ(usable(kIceLake, kAvx512State), " avx2 avx512");
}

TEST(CpuFeatures, Bf16WithoutTheRestOfZen4IsNotTheDotTarget) {
  EXPECT_EQ(usable(kCooperLake, kAvx512State), " avx2 avx512");
}

TEST(CpuFeatures, OperatingSystemMustSaveTheState) {
  EXPECT_EQ(usable(kZen4, 0), "");
  EXPECT_EQ(usable(kZen4, 0x3), "") << "no ymm";
  EXPECT_EQ(usable(kZen4, kAvxState), " avx2");
  EXPECT_EQ(usable(kZen4, 0xc7), " avx2") << "no opmask";
  EXPECT_EQ(usable(kZen4, 0x67), " avx2") << "no zmm16-31";
}

TEST(CpuFeatures, OneMissingFeatureIsEnough) {
  for (int bit : {12, 28, 29}) {  // fma, avx, f16c
    CpuidWords words = kZen4;
    words.leaf1_ecx &= ~(1u << bit);
    EXPECT_EQ(usable(words, kAvx512State), "") << bit;
  }
  for (int bit : {16, 17, 28, 30, 31}) {  // avx512 f, dq, cd, bw, vl
    CpuidWords words = kZen4;
    words.leaf7_ebx &= ~(1u << bit);
    EXPECT_EQ(usable(words, kAvx512State), " avx2") << bit;
  }
  for (int bit : {1, 6, 8, 9, 10, 11, 12, 14}) {
    CpuidWords words = kZen4;
    words.leaf7_ecx &= ~(1u << bit);
    EXPECT_EQ(usable(words, kAvx512State), " avx2 avx512") << bit;
  }
}

// Features as /proc/cpuinfo of these machines lists them, in the bits of AT_HWCAP and AT_HWCAP2.
constexpr HwcapWords kCortexA53 = {0x8ff, 0};     // up to crc32, cpuid
constexpr HwcapWords kRaspberryPi3 = {0x887, 0};  // an A53 without the cryptography
constexpr HwcapWords kCortexA72 = {0x8ff, 0};
constexpr HwcapWords kThunderX2 = {0x19ff, 0};  // armv8.1: atomics, asimdrdm; no fp16
constexpr HwcapWords kCortexA76 = {0x119fff, 0};
constexpr HwcapWords kNeoverseN1 = {0x10119fff, 0};        // with ssbs
constexpr HwcapWords kNeoverseN2 = {0xffffffff, 0x3f3ff};  // sve2, bf16, i8mm …
constexpr HwcapWords kNeoverseV2 = {0xffffffff, 0x2f3ff};
constexpr HwcapWords kAppleM1 = {0xffb3ffff, 0x181};  // no sve, bf16 or i8mm

std::string usable(const HwcapWords& words) {
  std::string names;
  for (const char* target : {"arm64-neon", "arm64-neon-dotprod"}) {
    if (target_usable(target, words)) names += std::string(" ") + (target + 6);
  }
  return names;
}

TEST(CpuFeatures, EachArm64CoreRunsWhatItHas) {
  for (const HwcapWords& plain : {kCortexA53, kRaspberryPi3, kCortexA72, kThunderX2})
    EXPECT_EQ(usable(plain), " neon") << std::hex << plain.hwcap;
  for (const HwcapWords& newer : {kCortexA76, kNeoverseN1, kNeoverseN2, kNeoverseV2, kAppleM1})
    EXPECT_EQ(usable(newer), " neon neon-dotprod") << std::hex << newer.hwcap;
}

TEST(CpuFeatures, OneMissingArm64FeatureIsEnough) {
  for (int bit : {9, 10, 20}) {  // fphp, asimdhp, asimddp
    HwcapWords words = kNeoverseV2;
    words.hwcap &= ~(uint64_t{1} << bit);
    EXPECT_EQ(usable(words), " neon") << bit;
  }
  for (int bit : {0, 1}) {  // fp, asimd
    HwcapWords words = kNeoverseV2;
    words.hwcap &= ~(uint64_t{1} << bit);
    EXPECT_EQ(usable(words), "") << bit;
  }
  EXPECT_EQ(usable({0x100603, 0}), " neon neon-dotprod") << "nothing else is needed";
  EXPECT_EQ(usable({0, ~uint64_t{0}}), "") << "AT_HWCAP2 counts for nothing so far";
}

TEST(CpuFeatures, NoCpuRunsTheTargetsOfAnotherArchitecture) {
  for (const TargetInfo& target : cpu_targets()) {
    EXPECT_EQ(target_usable(target.name, kZen5, ~0ull), target.arch == Arch::x86_64);
    EXPECT_EQ(target_usable(target.name, kNeoverseV2), target.arch == Arch::arm64);
    if (target.arch == host_arch()) continue;
    EXPECT_EQ(gf_isa_usable(target.name.c_str()), 0) << target.name;
  }
}

TEST(CpuFeatures, TheTargetsAreThoseOfTheGeneratorInItsOrder) {
  int rank = 0;
  for (const TargetInfo& target : cpu_targets()) EXPECT_EQ(target_rank(target.name), rank++);
  EXPECT_EQ(target_rank("x86"), -1);
  EXPECT_EQ(target_rank(""), -1);
}

TEST(CpuFeatures, UnknownNamesAreNotUsable) {
  EXPECT_FALSE(target_usable("", kZen5, ~0ull));
  EXPECT_FALSE(target_usable("x86-avx", kZen5, ~0ull));
  EXPECT_FALSE(target_usable("arm64", kNeoverseV2));
  EXPECT_EQ(gf_isa_usable("nonsense"), 0);
  EXPECT_EQ(gf_isa_usable(nullptr), 0);
}

#if defined(__x86_64__)
TEST(CpuFeatures, ThisMachineAgreesWithTheCompilersOwnCheck) {
  EXPECT_EQ(gf_isa_usable("x86-avx2") != 0,
            __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"));
  EXPECT_EQ(gf_isa_usable("x86-avx512") != 0,
            __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0);
}
#elif defined(__aarch64__)
TEST(CpuFeatures, EveryArm64MachineHasNeon) { EXPECT_EQ(gf_isa_usable("arm64-neon"), 1); }
#endif

TEST(CpuFeatures, AnAssumedTargetIsUsable) {
  // In a process of its own, which nothing can change back.
  EXPECT_EXIT(
      {
        const std::string highest = test::kHighestTarget;
        const auto others = [&] {
          std::string usable;
          for (const char* target : test::kHostTargets)
            if (target != highest) usable += std::to_string(gf_isa_usable(target));
          return usable;
        };
        const std::string before = others();
        assume_usable(test::kForeignTarget);
        assume_usable(highest);
        const bool assumed = gf_isa_usable(highest.c_str()) && best_target() == highest;
        const bool kept = others() == before && !gf_isa_usable(test::kForeignTarget);
        std::exit(kept && assumed ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(CpuFeatures, BestTargetIsUsable) {
  const std::string best = best_target();
  if (!best.empty()) {
    EXPECT_TRUE(target_usable(best));
  }
}

}  // namespace
}  // namespace gatefold
