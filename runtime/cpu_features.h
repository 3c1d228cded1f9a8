#pragma once

#include <cstdint>
#include <string_view>

namespace gatefold {

/// The CPUID registers that decide which targets a CPU runs.
struct CpuidWords {
  uint32_t leaf1_ecx = 0;
  uint32_t leaf7_ebx = 0;     ///< leaf 7, subleaf 0
  uint32_t leaf7_ecx = 0;     ///< leaf 7, subleaf 0
  uint32_t leaf7_1_eax = 0;   ///< leaf 7, subleaf 1
  uint32_t extended_ecx = 0;  ///< leaf 0x80000001
};

/// Whether a CPU with these words runs `target` under an operating system that saves the register
/// state `xcr0`. Unknown names: false. Halide 21's own check lets unknown features pass.
bool target_usable(std::string_view target, const CpuidWords& cpu, uint64_t xcr0);

/// The same of this machine; the answer of CPUID is read once.
bool target_usable(std::string_view target);

/// From now on `target` counts as usable whatever CPUID says: for an emulator that runs what this
/// CPU refuses. Unknown names: nothing happens. Internal: without an emulator its kernels end the
/// process.
void assume_usable(std::string_view target);

/// Position in the order of targets, lowest first; -1: unknown name.
int target_rank(std::string_view target);

/// The best target of this machine; "" if it runs none.
const char* best_target();

CpuidWords read_cpuid_words();
uint64_t read_xcr0();  ///< 0 where the operating system does not offer XGETBV

}  // namespace gatefold
