#include "tuning/emulator.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gatefold::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kX86Cpuinfo =
    "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nflags\t\t: fpu sse2\n";
constexpr const char* kNeoverseCpuinfo =
    "processor\t: 0\nBogoMIPS\t: 243.75\nFeatures\t: fp asimd evtstrm aes\n"
    "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n";

MachineSigns neoverse() {
  MachineSigns signs;
  signs.program = Arch::arm64;
  signs.file = "gatefold-worker";
  signs.file_machine = EM_AARCH64;
  signs.cpuinfo = kNeoverseCpuinfo;
  return signs;
}

TEST(Emulator, ARealMachineHasNone) {
  EXPECT_EQ(emulator_in(neoverse()), "");
  MachineSigns x86;
  x86.file = "gatefold";
  x86.file_machine = EM_X86_64;
  x86.cpuinfo = kX86Cpuinfo;
  EXPECT_EQ(emulator_in(x86), "");
}

TEST(Emulator, WhatCannotBeSeenIsNoSign) {
  MachineSigns hidden;
  EXPECT_EQ(emulator_in(hidden), "");
  hidden.program = Arch::arm64;
  EXPECT_EQ(emulator_in(hidden), "");
  hidden.file_is_program = false;  // told nothing of the file itself
  EXPECT_EQ(emulator_in(hidden), "");
}

TEST(Emulator, TheKernelExecutesAProgramOfAnotherMachine) {
  MachineSigns signs = neoverse();
  signs.file = "qemu-aarch64-static";
  signs.file_machine = EM_X86_64;
  EXPECT_EQ(emulator_in(signs), "qemu-aarch64-static on x86_64");
  signs.program = Arch::x86_64;
  signs.file_machine = EM_AARCH64;
  EXPECT_THAT(emulator_in(signs), HasSubstr("on arm64"));
  signs.file.clear();
  signs.file_machine = EM_RISCV;
  EXPECT_THAT(emulator_in(signs), AllOf(HasSubstr("another program"), HasSubstr("243")));
}

TEST(Emulator, TheKernelExecutesAnotherProgramThanThisOne) {
  MachineSigns signs = neoverse();
  signs.file = "qemu-aarch64";
  signs.file_is_program = false;
  EXPECT_EQ(emulator_in(signs), "qemu-aarch64");
}

TEST(Emulator, TheCpuIsDescribedAsOneOfAnotherArchitecture) {
  MachineSigns signs = neoverse();
  signs.cpuinfo = kX86Cpuinfo;
  EXPECT_EQ(emulator_in(signs), "an emulator on x86_64");
  MachineSigns x86;
  x86.cpuinfo = kNeoverseCpuinfo;
  EXPECT_EQ(emulator_in(x86), "an emulator on arm64");
}

TEST(Emulator, TheCpuIsOneThatNobodyMakes) {
  MachineSigns signs = neoverse();
  signs.cpuinfo = "CPU implementer\t: 0x00\nCPU part\t: 0x051\n";
  EXPECT_THAT(emulator_in(signs), HasSubstr("software"));
  for (const char* real : {"0x41", "0x61", "0x50", "0xc0"}) {
    signs.cpuinfo = std::string("CPU implementer\t: ") + real + "\n";
    EXPECT_EQ(emulator_in(signs), "") << real;
  }
}

/// This test would fail wherever the tests themselves are emulated, and there it should.
TEST(Emulator, TheseTestsRunOnARealCpu) { EXPECT_EQ(this_emulator(), ""); }

}  // namespace
}  // namespace gatefold::test
