#include "tests/emulation/registers.h"

#include <cstring>

#include "tests/emulation/core.h"
#include "tests/emulation/signal_frame.h"

namespace gatefold::emulation {
namespace {

/// In the order of the instruction encoding, which is the core's.
constexpr int kGeneral[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15};
constexpr uint32_t kUserFlags =
    0xcd5;  // carry to overflow and direction, without trap and interrupt
constexpr uint32_t kFixedFlags = 0x202;

/// The AVX-512 state of a thread whose CPU has none to hold it: as it was when the thread last left
/// the core. Native code in between cannot touch zmm16-31 and k0-7; a low register whose 256 bits
/// are unchanged keeps its upper half, any other was written by an instruction that zeroes it.
struct Shadow {
  uint64_t zmm[kZmms][8];
  uint64_t opmask[kOpmasks];
};
// Not allocated on first use: a signal handler reads it.
thread_local Shadow shadow __attribute__((tls_model("initial-exec")));

void load_vectors(const SignalFrame& frame) {
  for (int i = 0; i < kLowZmms; ++i) {
    uint64_t low[4];
    frame.get_ymm(i, low);
    if (memcmp(low, shadow.zmm[i], sizeof low) != 0) memset(&shadow.zmm[i][4], 0, sizeof low);
    memcpy(shadow.zmm[i], low, sizeof low);
  }
  frame.get_avx512(shadow.zmm, shadow.opmask);  // where the CPU holds that state itself
  memcpy(zmm(0), shadow.zmm, sizeof shadow.zmm);
  memcpy(opmask(0), shadow.opmask, sizeof shadow.opmask);
}

void store_vectors(SignalFrame& frame) {
  memcpy(shadow.zmm, zmm(0), sizeof shadow.zmm);
  memcpy(shadow.opmask, opmask(0), sizeof shadow.opmask);
  for (int i = 0; i < kLowZmms; ++i) frame.put_ymm(i, shadow.zmm[i]);
  frame.put_avx512(shadow.zmm, shadow.opmask);
}

}  // namespace

void load_registers(const ucontext_t& context) {
  const greg_t* general = context.uc_mcontext.gregs;
  for (unsigned i = 0; i < 16; ++i) {
    core.set_reg64(0, i, static_cast<uint64_t>(general[kGeneral[i]]));
  }
  core.set_pc(0, static_cast<uint64_t>(general[REG_RIP]));
  core.set_eflags(0, (static_cast<uint32_t>(general[REG_EFL]) & kUserFlags) | kFixedFlags);
  const SignalFrame frame(context.uc_mcontext.fpregs, xsave_layout());
  core.set_mxcsr(0, frame.mxcsr());
  load_vectors(frame);
}

void store_registers(ucontext_t& context, uint64_t address) {
  greg_t* general = context.uc_mcontext.gregs;
  core.force_flags(core.cpu);
  for (unsigned i = 0; i < 16; ++i) {
    general[kGeneral[i]] = static_cast<greg_t>(core.get_reg64(0, i));
  }
  general[REG_RIP] = static_cast<greg_t>(address);
  general[REG_EFL] = (general[REG_EFL] & ~greg_t{kUserFlags}) | (core.get_eflags(0) & kUserFlags);
  SignalFrame frame(context.uc_mcontext.fpregs, xsave_layout());
  frame.set_mxcsr(core.get_mxcsr(0));
  store_vectors(frame);
}

}  // namespace gatefold::emulation
