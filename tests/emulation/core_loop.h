#pragma once

namespace gatefold::emulation {

/// Why the core stopped: an exception's vector and error code, as the architecture numbers them.
struct Exit {
  unsigned vector = 0;
  unsigned error = 0;

  static constexpr unsigned kDivide = 0, kInvalidOpcode = 6, kProtection = 13, kPageFault = 14,
                            kX87 = 16, kSimd = 19;
  static constexpr unsigned kTurnOver = 256;  ///< our own: another thread waits

  bool left_emulated_code() const { return vector == kPageFault && (error & 0x10) != 0; }
  bool is_arithmetic() const { return vector == kDivide || vector == kX87 || vector == kSimd; }
};

/// Interprets from the core's current state until something calls leave_core().
Exit run_core();

/// From inside the core: back to run_core()'s caller.
[[noreturn]] void leave_core(Exit why);

/// Whether the calling thread is inside run_core(), as a signal handler may ask.
bool this_thread_is_in_core();
void abandon_core();

}  // namespace gatefold::emulation
