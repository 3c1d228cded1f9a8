#pragma once

#include <string>

#include "runtime/caches.h"

namespace gatefold {

/// What schedules, records and `doctor` need to know of a CPU.
struct Machine {
  std::string cpu;     ///< brand string without runs of spaces
  std::string vendor;  ///< "AuthenticAMD", "GenuineIntel", …
  int family = 0;
  int model = 0;
  int stepping = 0;
  Cache l1d, l2, l3;  ///< bytes 0: not there, or not known
  std::string isa;    ///< best usable target, "" if none
  int threads = 1;    ///< gf_default_threads()
};

Machine read_machine();

/// Family and model from leaf 1's eax, with the extended fields added as both vendors define it.
void decode_signature(uint32_t leaf1_eax, Machine& machine);

}  // namespace gatefold
