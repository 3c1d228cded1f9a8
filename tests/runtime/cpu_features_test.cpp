#include "runtime/cpu_features.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "gatefold/gatefold.h"

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

TEST(CpuFeatures, UnknownNamesAreNotUsable) {
  EXPECT_FALSE(target_usable("", kZen5, ~0ull));
  EXPECT_FALSE(target_usable("x86-avx", kZen5, ~0ull));
  EXPECT_FALSE(target_usable("arm64-neon", kZen5, ~0ull));
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
#endif

TEST(CpuFeatures, AnAssumedTargetIsUsable) {
  // In a process of its own, which nothing can change back.
  EXPECT_EXIT(
      {
        assume_usable("arm64-neon");
        assume_usable("x86-avx512-bf16");
        const bool kept = gf_isa_usable("x86-avx512") ==
                          target_usable("x86-avx512", read_cpuid_words(), read_xcr0());
        const bool assumed =
            gf_isa_usable("x86-avx512-bf16") && best_target() == std::string("x86-avx512-bf16");
        std::exit(kept && assumed && !gf_isa_usable("arm64-neon") ? 0 : 1);
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
