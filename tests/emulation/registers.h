#pragma once

#include <ucontext.h>

#include <cstdint>

namespace gatefold::emulation {

/// A thread's registers, from its signal frame into the core.
void load_registers(const ucontext_t& context);

/// Back into the signal frame; the thread goes on at `address`.
void store_registers(ucontext_t& context, uint64_t address);

}  // namespace gatefold::emulation
