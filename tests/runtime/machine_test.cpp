#include "runtime/machine.h"

#include <gtest/gtest.h>

#include "gatefold/gatefold.h"
#include "runtime/cpu_features.h"

namespace gatefold {
namespace {

TEST(Machine, DecodesCacheLeavesOfZen4) {
  // l1d 32 KiB 8 ways, l1i, l2 1 MiB 8 ways, l3 32 MiB 16 ways shared by 16
  const std::vector<Cache> caches = decode_caches({{0x00004121, 0x01c0003f, 0x3f},
                                                   {0x00004122, 0x01c0003f, 0x3f},
                                                   {0x00004143, 0x01c0003f, 0x7ff},
                                                   {0x0003c163, 0x03c0003f, 0x7fff},
                                                   {0, 0, 0}});
  ASSERT_EQ(caches.size(), 3u) << "the instruction cache is left out";
  EXPECT_EQ(caches[0].level, 1);
  EXPECT_EQ(caches[0].bytes, 32 << 10);
  EXPECT_EQ(caches[0].ways, 8);
  EXPECT_EQ(caches[0].shared_by, 2);
  EXPECT_EQ(caches[1].bytes, 1 << 20);
  EXPECT_EQ(caches[2].level, 3);
  EXPECT_EQ(caches[2].bytes, 32 << 20);
  EXPECT_EQ(caches[2].ways, 16);
  EXPECT_EQ(caches[2].line_bytes, 64);
  EXPECT_EQ(caches[2].shared_by, 16);
}

TEST(Machine, EndsAtTheFirstEmptyLeaf) {
  EXPECT_TRUE(decode_caches({}).empty());
  EXPECT_TRUE(decode_caches({{0, 0, 0}, {0x00004121, 0x01c0003f, 0x3f}}).empty());
}

TEST(Machine, DecodesSignatures) {
  Machine m;
  decode_signature(0x000306c3, m);  // Haswell
  EXPECT_EQ(m.family, 6);
  EXPECT_EQ(m.model, 0x3c);
  EXPECT_EQ(m.stepping, 3);
  decode_signature(0x00a10f11, m);  // Zen 4, Genoa
  EXPECT_EQ(m.family, 25);
  EXPECT_EQ(m.model, 17);
  decode_signature(0x00b00f21, m);  // Zen 5
  EXPECT_EQ(m.family, 26);
  EXPECT_EQ(m.model, 2);
}

TEST(Machine, DescribesThisOne) {
  const Machine m = read_machine();
  EXPECT_EQ(m.isa, best_target());
  EXPECT_EQ(m.threads, gf_default_threads());
  EXPECT_NE(m.cpu, "");
  EXPECT_EQ(m.cpu.find("  "), std::string::npos);
#if defined(__x86_64__)  // elsewhere the firmware need not say
  EXPECT_GT(m.l1d.bytes, 0);
  EXPECT_GE(m.l2.bytes, m.l1d.bytes);
#endif
}

}  // namespace
}  // namespace gatefold
