#pragma once

/// Runs AVX-512 code on an x86 CPU with AVX2: a library to be preloaded, or linked to a test.
///
/// When the CPU refuses an instruction (SIGILL), the mapping that holds it (a kernel library's
/// text, a JIT compiler's block) is interpreted by the Bochs CPU core on the process's own memory
/// until control leaves that mapping: by return, call or syscall. Everything else runs natively.
/// CPUID stays the CPU's own.

/// The targets whose kernels can be run this way, as "name,name". `gatefold --emulated` looks for
/// this symbol, so that it never runs such kernels without the emulator.
extern "C" const char gatefold_emulated_targets[];
