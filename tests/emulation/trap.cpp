// Where the emulator begins and ends: it starts the core when it is loaded, and runs it whenever an
// instruction is refused by the CPU.
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "tests/emulation/code_regions.h"
#include "tests/emulation/core.h"
#include "tests/emulation/core_loop.h"
#include "tests/emulation/emulator.h"
#include "tests/emulation/guest_memory.h"
#include "tests/emulation/registers.h"
#include "tests/emulation/turns.h"

namespace gatefold::emulation {
namespace {

struct sigaction old_illegal, old_segv;
struct {
  uint64_t entries, instructions;
} stats;

struct Outcome {
  Exit why;
  uint64_t address = 0;  ///< where the thread goes on, or what went wrong
  bool progressed = false;
};

uint64_t address_after(Exit why) {
  if (!why.left_emulated_code()) return instruction_start();
  const uint64_t target = core.get_cr2(0);
  if (target != kSyscallTrap) return target;
  // The CPU shall do the syscall itself: rcx holds the address after its two bytes.
  reset_segments();
  return core.get_reg64(0, 1) - 2;
}

Outcome emulate(ucontext_t& context) {
  load_registers(context);
  const uint64_t first = instruction_count();
  Outcome outcome;
  outcome.why = run_core();
  outcome.address = address_after(outcome.why);
  store_registers(context, outcome.address);
  outcome.progressed = instruction_count() != first;
  ++stats.entries;
  stats.instructions += instruction_count() - first;
  return outcome;
}

Outcome emulate_one_turn(ucontext_t& context) {
  const auto address = static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
  take_turn();
  Outcome outcome{{Exit::kInvalidOpcode}, address};
  if (emulate_mapping_of(address)) outcome = emulate(context);
  give_turn();
  return outcome;
}

void pass_on(int signal_number, const struct sigaction& old, siginfo_t* info, void* context) {
  if (old.sa_flags & SA_SIGINFO) return old.sa_sigaction(signal_number, info, context);
  if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) return old.sa_handler(signal_number);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void complain(const Outcome& outcome) {
  const auto* b = reinterpret_cast<const uint8_t*>(outcome.address);
  dprintf(STDERR_FILENO,
          "avx512_emulator: exception %u at %p: %02x %02x %02x %02x %02x %02x %02x %02x\n",
          outcome.why.vector, static_cast<const void*>(b), b[0], b[1], b[2], b[3], b[4], b[5], b[6],
          b[7]);
}

void on_illegal(int signal_number, siginfo_t* info, void* context_pointer) {
  auto& context = *static_cast<ucontext_t*>(context_pointer);
  const int saved_errno = errno;
  Outcome outcome;
  bool progressed = false;
  do {
    outcome = emulate_one_turn(context);
    progressed = progressed || outcome.progressed;
  } while (outcome.why.vector == Exit::kTurnOver);
  errno = saved_errno;
  // What the core does not know after some instructions that it did, the CPU shall try itself.
  const bool refused = outcome.why.vector == Exit::kInvalidOpcode;
  if (progressed && (outcome.why.left_emulated_code() || refused)) return;
  complain(outcome);
  if (refused) return pass_on(signal_number, old_illegal, info, &context);
  const int fatal = outcome.why.is_arithmetic() ? SIGFPE : SIGSEGV;
  signal(fatal, SIG_DFL);
  raise(fatal);
}

/// The emulated code touched memory that it may not.
void on_segv(int signal_number, siginfo_t* info, void* context) {
  if (this_thread_is_in_core()) {
    dprintf(STDERR_FILENO, "avx512_emulator: the emulated instruction at %p accessed %p\n",
            reinterpret_cast<void*>(instruction_start()), info->si_addr);
    // The handler may jump out of the code that was emulated.
    abandon_core();
    give_turn();
  }
  pass_on(signal_number, old_segv, info, context);
}

void handle(int signal_number, void (*handler)(int, siginfo_t*, void*), int flags,
            struct sigaction* old) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  sigaction(signal_number, &action, old);
}

__attribute__((constructor)) void start() {
  start_core();
  handle(SIGILL, on_illegal, SA_RESTART, &old_illegal);
  handle(SIGSEGV, on_segv, SA_NODEFER, &old_segv);
}

__attribute__((destructor)) void report() {
  if (!getenv("AVX512_EMULATOR_STATS")) return;
  dprintf(STDERR_FILENO,
          "avx512_emulator: entered %lu times, %lu M instructions, %d mappings, %lu MiB touched\n",
          stats.entries, stats.instructions / 1000000, region_count(), touched_mib());
}

}  // namespace
}  // namespace gatefold::emulation

GATEFOLD_EXPORT const char gatefold_emulated_targets[] = "x86-avx512,x86-avx512-bf16";
