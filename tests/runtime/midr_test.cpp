#include "runtime/midr.h"

#include <gtest/gtest.h>

#include "runtime/machine.h"

namespace gatefold {
namespace {

TEST(Midr, Fields) {
  const Midr n1 = decode_midr(0x413fd0c1);
  EXPECT_EQ(n1.implementer, 0x41);
  EXPECT_EQ(n1.variant, 3);
  EXPECT_EQ(n1.part, 0xd0c);
  EXPECT_EQ(n1.revision, 1);
}

TEST(Midr, NamesOfCores) {
  const auto name = [](uint64_t word) { return core_name(decode_midr(word)); };
  EXPECT_EQ(name(0x410fd034), "Cortex-A53");
  EXPECT_EQ(name(0x410fd083), "Cortex-A72");
  EXPECT_EQ(name(0x414fd0b1), "Cortex-A76");
  EXPECT_EQ(name(0x413fd0c1), "Neoverse-N1");
  EXPECT_EQ(name(0x410fd490), "Neoverse-N2");
  EXPECT_EQ(name(0x410fd4f0), "Neoverse-V2");
  EXPECT_EQ(name(0x611f0231), "Firestorm-M1");
  EXPECT_EQ(name(0x461f0010), "A64FX");
}

TEST(Midr, UnknownCoresAreNumbers) {
  EXPECT_EQ(core_name(decode_midr(0x410fffff)), "ARM part 0xfff");
  EXPECT_EQ(core_name(decode_midr(0x000f0510)), "implementer 0x00 part 0x051");
  EXPECT_EQ(implementer_name(0x61), "Apple");
  EXPECT_EQ(implementer_name(0x7f), "implementer 0x7f");
}

TEST(Midr, TheKernelsFile) {
  EXPECT_EQ(parse_midr("0x00000000410fd083"), uint64_t{0x410fd083});
  EXPECT_EQ(parse_midr(""), std::nullopt);
  EXPECT_EQ(parse_midr("unknown"), std::nullopt);
  EXPECT_EQ(parse_midr("0x"), std::nullopt);
}

// A Cortex-A55 and an A76.
constexpr const char* kCpuinfo =
    "processor\t: 0\nBogoMIPS\t: 38.40\nFeatures\t: fp asimd crc32\nCPU implementer\t: 0x41\n"
    "CPU architecture: 8\nCPU variant\t: 0x2\nCPU part\t: 0xd05\nCPU revision\t: 0\n\n"
    "processor\t: 4\nBogoMIPS\t: 38.40\nFeatures\t: fp asimd crc32\nCPU implementer\t: 0x41\n"
    "CPU architecture: 8\nCPU variant\t: 0x4\nCPU part\t: 0xd0b\nCPU revision\t: 1\n\n"
    "Hardware\t: something\n";

TEST(Midr, OfOneCpuInCpuinfo) {
  const auto little = midr_in_cpuinfo(kCpuinfo, 0), big = midr_in_cpuinfo(kCpuinfo, 4);
  ASSERT_TRUE(little && big);
  EXPECT_EQ(core_name(*little), "Cortex-A55");
  EXPECT_EQ(core_name(*big), "Cortex-A76");
  EXPECT_EQ(big->variant, 4);
  EXPECT_EQ(big->revision, 1);
  EXPECT_FALSE(midr_in_cpuinfo(kCpuinfo, 1));
}

TEST(Midr, OtherCpuinfosSayNothing) {
  EXPECT_FALSE(midr_in_cpuinfo("", 0));
  EXPECT_FALSE(midr_in_cpuinfo("processor\t: 0\nvendor_id\t: GenuineIntel\nmodel\t\t: 85\n", 0));
  EXPECT_FALSE(midr_in_cpuinfo("processor\t: 0\nCPU implementer\t: 0x41\n", 0)) << "no part";
  EXPECT_FALSE(midr_in_cpuinfo("processor\t: 0\nCPU implementer\t: x\nCPU part\t: \n:\n: \n", 0));
}

TEST(Machine, DescribesAnArm64Core) {
  Machine m;
  describe_core(decode_midr(0x413fd0c1), m);
  EXPECT_EQ(m.cpu, "Neoverse-N1");
  EXPECT_EQ(m.vendor, "ARM");
  EXPECT_EQ(m.family, 0x41);
  EXPECT_EQ(m.model, 0xd0c);
  EXPECT_EQ(m.stepping, 0x31);
}

}  // namespace
}  // namespace gatefold
