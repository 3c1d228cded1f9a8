#pragma once

#include <cstddef>
#include <cstdint>

/// Exported under exactly this name, whatever the library's default visibility.
#define GATEFOLD_EXPORT extern "C" __attribute__((visibility("default")))

namespace gatefold::emulation {

/// The CPU core of Bochs 3.0, loaded as a plain shared library from the wheel bochscpu-python. The
/// wheel exports its C functions and the core's C++ ones, and calls both through interposable
/// symbols: what this library exports under the same names replaces them.
struct Core {
  void* handle;
  uint8_t* cpu;  ///< the core's only CPU object
  void (*create)(unsigned cpu);
  void (*loop)(unsigned cpu);
  void (*set_mode)(unsigned cpu);  ///< mode from the control registers; flushes the TLBs
  uint64_t (*get_reg64)(unsigned cpu, unsigned reg);
  void (*set_reg64)(unsigned cpu, unsigned reg, uint64_t value);
  void (*set_pc)(unsigned cpu, uint64_t value);
  uint32_t (*get_eflags)(unsigned cpu);
  void (*set_eflags)(unsigned cpu, uint32_t value);
  void (*set_segment)(unsigned cpu, unsigned segment, uint32_t present, uint16_t selector,
                      uint64_t base, uint32_t limit, uint16_t attributes);
  uint64_t (*get_cr2)(unsigned cpu);
  uint32_t (*get_mxcsr)(unsigned cpu);
  void (*set_mxcsr)(unsigned cpu, uint32_t value);
  void (*force_flags)(void* cpu);  ///< EFLAGS are computed lazily
  void (*flush_decoded)();         ///< forgets decoded instructions
};
extern Core core;

/// Loads the core, which stands beside this library, and puts it in 64-bit user mode with AVX-512
/// on. Ends the process with a message if the core is not the one that this file was written for.
void start_core();

/// Flat segments with this thread's fs base.
void reset_segments();

/// The core's own function `name`, below what this library puts in its place.
void* core_symbol(const char* name);
template <class F>
void bind(F& function, const char* name) {
  function = reinterpret_cast<F>(core_symbol(name));
}

/// Says why on stderr and ends the process: nothing sensible can follow in the middle of a kernel.
[[noreturn]] void give_up(const char* why, const char* what);

/// Offsets into the CPU object; start_core() compares them with what the core's accessors do.
inline uint64_t& core_word(size_t offset) {
  return *reinterpret_cast<uint64_t*>(core.cpu + offset);
}
inline uint64_t& instruction_pointer() { return core_word(0xd8); }
inline uint64_t& instruction_start() { return core_word(0x110); }  ///< of the one under way
inline uint64_t& instruction_count() { return core_word(0x128); }
inline uint64_t* zmm(int i) { return &core_word(0x3c0 + 64 * static_cast<size_t>(i)); }
inline uint64_t* opmask(int i) { return &core_word(0xc08 + 8 * static_cast<size_t>(i)); }
inline bool async_event() { return *reinterpret_cast<volatile uint32_t*>(core.cpu + 0x9080) != 0; }

/// A syscall of emulated code "jumps" here, which is never executable.
constexpr uint64_t kSyscallTrap = 0x00007ffffffff000;

}  // namespace gatefold::emulation
