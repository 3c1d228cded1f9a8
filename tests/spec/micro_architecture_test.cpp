#include "spec/micro_architecture.h"

#include <gtest/gtest.h>

#include "spec/machine.h"

namespace gatefold {
namespace {

TEST(MicroArchitecture, FromVendorFamilyAndModel) {
  EXPECT_EQ(micro_architecture("AuthenticAMD", 23, 0x31), "zen2");
  EXPECT_EQ(micro_architecture("AuthenticAMD", 25, 0x01), "zen3");
  EXPECT_EQ(micro_architecture("AuthenticAMD", 25, 0x11), "zen4");
  EXPECT_EQ(micro_architecture("AuthenticAMD", 25, 0x61), "zen4");
  EXPECT_EQ(micro_architecture("AuthenticAMD", 26, 0x02), "zen5");
  EXPECT_EQ(micro_architecture("GenuineIntel", 6, 0x55), "skylake-server");
  EXPECT_EQ(micro_architecture("GenuineIntel", 6, 0x6a), "icelake-server");
  EXPECT_EQ(micro_architecture("GenuineIntel", 6, 0x8f), "sapphirerapids");
}

TEST(MicroArchitecture, OfArmFromImplementerAndPart) {
  EXPECT_EQ(micro_architecture("ARM", 0x41, 0xd0b), "cortex-a76");
  EXPECT_EQ(micro_architecture("ARM", 0x41, 0xd0c), "neoverse-n1");
  EXPECT_EQ(micro_architecture("ARM", 0x41, 0xd4f), "neoverse-v2");
  EXPECT_EQ(micro_architecture("ARM", 0x41, 0xd03), "cortex-a53");
  EXPECT_EQ(micro_architecture("Apple", 0x61, 0x023), "apple-m1");
  EXPECT_EQ(micro_architecture("Apple", 0x61, 0x029), "apple-m1");
  EXPECT_EQ(micro_architecture("Apple", 0x61, 0x032), "") << "the M2";
  EXPECT_EQ(micro_architecture("ARM", 0x41, 0x023), "") << "another vendor's numbers";
}

TEST(MicroArchitecture, UnknownOnesHaveNone) {
  EXPECT_EQ(micro_architecture("AuthenticAMD", 26, 0x3f), "");
  EXPECT_EQ(micro_architecture("AuthenticAMD", 6, 0x55), "") << "another vendor's numbers";
  EXPECT_EQ(micro_architecture("GenuineIntel", 6, 0x1c), "") << "no AVX2";
  EXPECT_EQ(micro_architecture("", -1, -1), "");
}

TEST(MicroArchitecture, FromTheNameInRecords) {
  EXPECT_EQ(micro_architecture_of("AMD EPYC (family 25 model 1)"), "zen3");
  EXPECT_EQ(micro_architecture_of("Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz (family 6 model 85)"),
            "skylake-server");
  EXPECT_EQ(micro_architecture_of("ARM Neoverse-N1 (family 65 model 3340)"), "neoverse-n1");
  EXPECT_EQ(micro_architecture_of("Cortex-A76 (family 65 model 3339)"), "cortex-a76");
  EXPECT_EQ(micro_architecture_of("Firestorm-M1 (family 97 model 35)"), "apple-m1");
  EXPECT_EQ(micro_architecture_of("neoverse-v2"), "neoverse-v2") << "a profile's name";
  EXPECT_EQ(micro_architecture_of("QEMU Virtual CPU version 2.5+ (family 6 model 85)"), "");
  EXPECT_EQ(micro_architecture_of("AMD EPYC"), "");
  EXPECT_EQ(micro_architecture_of("AMD EPYC (family x model y)"), "");
  EXPECT_EQ(micro_architecture_of("unknown CPU"), "");
}

TEST(MicroArchitecture, EveryProfileButTheGenericOneHasOne) {
  for (const CpuProfile& profile : all_cpu_profiles()) {
    EXPECT_EQ(micro_architecture_of_profile(profile.name).empty(), profile.name == "generic")
        << profile.name;
    EXPECT_EQ(profile.core, micro_architecture_of_profile(profile.name)) << profile.name;
  }
  EXPECT_EQ(micro_architecture_of_profile("skylake-x"), "skylake-server");
  EXPECT_EQ(micro_architecture_of_profile("host"), "");
}

TEST(CpuMatch, TheBestIsTheSmallest) {
  EXPECT_LT(CpuMatch::cpu, CpuMatch::micro_architecture);
  EXPECT_LT(CpuMatch::micro_architecture, CpuMatch::isa);
  EXPECT_STREQ(name(CpuMatch::micro_architecture), "micro_architecture");
}

}  // namespace
}  // namespace gatefold
