#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "spec/target.h"

namespace gatefold {

/// What a process can see of the machine that runs it. What it cannot see is empty.
struct MachineSigns {
  Arch program = Arch::x86_64;  ///< that it was compiled for
  /// The file that the kernel executes: its name, its ELF machine, and whether it is the one that
  /// the process is told it is. An emulator of user programs answers questions about
  /// /proc/self/exe for the program that it emulates, the kernel knows only the emulator.
  std::string file;
  std::optional<uint16_t> file_machine;
  bool file_is_program = true;
  std::string cpuinfo;  ///< /proc/cpuinfo
};

/// What runs this process in a CPU's stead, e.g. "qemu-aarch64 on x86_64"; empty: nothing that can
/// be seen. An emulated machine with a CPU of a real model number cannot be told from a real one.
std::string emulator_in(const MachineSigns& signs);

/// Of this process. Looked for once.
const std::string& this_emulator();
inline bool is_emulated() { return !this_emulator().empty(); }

}  // namespace gatefold
