#pragma once

#include <string>

#include "runtime/caches.h"
#include "runtime/midr.h"

namespace gatefold {

/// What schedules, records and `doctor` need to know of a CPU.
struct Machine {
  std::string cpu;     ///< brand string without runs of spaces; on arm64 the core: "Neoverse-N1"
  std::string vendor;  ///< "AuthenticAMD", "GenuineIntel", "ARM", "Apple", …
  int family = 0;      ///< on arm64 the implementer's number: 0x41 is Arm
  int model = 0;       ///< on arm64 the part's number: 0xd0c is the Neoverse N1
  int stepping = 0;    ///< on arm64 16 n + m of rnpm
  Cache l1d, l2, l3;   ///< bytes 0: not there, or not known
  std::string isa;     ///< best usable target, "" if none
  int threads = 1;     ///< gf_default_threads()
};

/// Where a machine has cores of several kinds, its fastest of those that this process may use.
Machine read_machine();

/// Family and model from leaf 1's eax, with the extended fields added as both vendors define it.
void decode_signature(uint32_t leaf1_eax, Machine& machine);

/// Name, vendor and numbers of an arm64 core.
void describe_core(const Midr& midr, Machine& machine);

}  // namespace gatefold
