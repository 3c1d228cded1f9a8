#pragma once

#include <cstdint>

namespace gatefold::emulation {

/// The mappings whose code is interpreted: each that held an instruction which this CPU refused.
/// A whole mapping at a time, since stepping between the CPU and the core at every instruction
/// would cost a signal each.

/// Whether the page at `address` is interpreted.
bool is_emulated(uint64_t address);

/// Makes the mapping around `address` one of them; false if there is no executable one.
bool emulate_mapping_of(uint64_t address);

int region_count();

}  // namespace gatefold::emulation
