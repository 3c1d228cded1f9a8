#pragma once

#include <cstdint>
#include <string_view>

namespace gatefold {

/// The CPUID registers that decide which targets an x86 CPU runs.
struct CpuidWords {
  uint32_t leaf1_ecx = 0;
  uint32_t leaf7_ebx = 0;     ///< leaf 7, subleaf 0
  uint32_t leaf7_ecx = 0;     ///< leaf 7, subleaf 0
  uint32_t leaf7_1_eax = 0;   ///< leaf 7, subleaf 1
  uint32_t extended_ecx = 0;  ///< leaf 0x80000001
};

/// The words in which Linux tells a process what an arm64 CPU has: AT_HWCAP and AT_HWCAP2. Where
/// cores differ it is what all of them have, so that a thread may go anywhere.
struct HwcapWords {
  uint64_t hwcap = 0;
  uint64_t hwcap2 = 0;
};

/// Whether an x86 CPU with these words runs `target` under an operating system that saves the
/// register state `xcr0`. Other names, those of arm64 too: false. Halide 21's own check lets
/// unknown features pass.
bool target_usable(std::string_view target, const CpuidWords& cpu, uint64_t xcr0);

/// The same of an arm64 CPU.
bool target_usable(std::string_view target, const HwcapWords& cpu);

/// The same of this machine; what it says of itself is read once.
bool target_usable(std::string_view target);

/// From now on `target` counts as usable whatever the CPU says: for an emulator that runs what this
/// CPU refuses. Unknown names and those of another architecture: nothing happens. Internal: without
/// an emulator its kernels end the process.
void assume_usable(std::string_view target);

/// Position in the order of targets, by architecture, lowest first; -1: unknown name.
int target_rank(std::string_view target);

/// The best target of this machine; "" if it runs none.
const char* best_target();

// What this machine says of itself; zeros on another architecture.
CpuidWords read_cpuid_words();
uint64_t read_xcr0();  ///< 0 where the operating system does not offer XGETBV
HwcapWords read_hwcap_words();

}  // namespace gatefold
