#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gatefold {

/// The register in which an arm64 core says what it is.
struct Midr {
  int implementer = 0;  ///< who made the core: 0x41 is Arm
  int variant = 0;      ///< the n of rnpm
  int part = 0;         ///< which of its cores
  int revision = 0;     ///< the m
};

Midr decode_midr(uint64_t word);

/// "ARM", "Apple", …; "implementer 0x7f" for one that is not known.
std::string implementer_name(int implementer);

/// "Neoverse-N1"; "ARM part 0xfff" for one that is not known.
std::string core_name(const Midr& midr);

/// The word in the text of /sys/devices/system/cpu/cpu0/regs/identification/midr_el1.
std::optional<uint64_t> parse_midr(std::string_view text);

/// What the text of /proc/cpuinfo says of one CPU.
std::optional<Midr> midr_in_cpuinfo(std::string_view text, int cpu);

}  // namespace gatefold
