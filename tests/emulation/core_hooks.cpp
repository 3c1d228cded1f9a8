// The core's own functions for memory, events and choice of CPU model, replaced by this library's.
#include <cstring>

#include "tests/emulation/core.h"
#include "tests/emulation/core_loop.h"
#include "tests/emulation/guest_memory.h"
#include "tests/emulation/turns.h"

namespace emulation = gatefold::emulation;
using emulation::Exit;

// Memory. Page tables have no host page, so that each read of one comes to mem_read_phy.
GATEFOLD_EXPORT uint8_t* mem_guest_to_host(unsigned, uint64_t gpa, unsigned) {
  return emulation::names_page_table(gpa) ? nullptr : emulation::host_address(gpa);
}

GATEFOLD_EXPORT void mem_read_phy(unsigned, uint64_t gpa, unsigned size, void* to) {
  if (!emulation::names_page_table(gpa)) {
    memcpy(to, emulation::host_address(gpa), size);
    return;
  }
  const uint64_t entry = emulation::page_table_entry(gpa) >> 8 * (gpa & 7);
  memcpy(to, &entry, size);
}

GATEFOLD_EXPORT void mem_write_phy(unsigned, uint64_t gpa, unsigned size, const void* from) {
  // The core's accessed and dirty bits are set already.
  if (!emulation::names_page_table(gpa)) memcpy(emulation::host_address(gpa), from, size);
}

// Events that end the interpretation.
GATEFOLD_EXPORT void bx_instr_exception(unsigned, unsigned vector, unsigned error) {
  emulation::leave_core({vector, error});
}

GATEFOLD_EXPORT void bx_instr_hlt(unsigned) { emulation::leave_core({Exit::kProtection, 0}); }

GATEFOLD_EXPORT void bx_instr_after_execution(unsigned, void*) {
  if (!emulation::turn_is_over()) return;
  ++emulation::instruction_count();  // the core counts after this call
  emulation::leave_core({Exit::kTurnOver, 0});
}

// Events that the wheel reports to Python, which is not there.
#define IGNORE_EVENT(name) \
  GATEFOLD_EXPORT void bx_instr_##name() {}
IGNORE_EVENT(before_execution)
IGNORE_EVENT(repeat_iteration)
IGNORE_EVENT(opcode)
IGNORE_EVENT(cnear_branch_taken)
IGNORE_EVENT(cnear_branch_not_taken)
IGNORE_EVENT(ucnear_branch)
IGNORE_EVENT(far_branch)
IGNORE_EVENT(interrupt)
IGNORE_EVENT(hwinterrupt)
IGNORE_EVENT(tlb_cntrl)
IGNORE_EVENT(cache_cntrl)
IGNORE_EVENT(prefetch_hint)
IGNORE_EVENT(clflush)
IGNORE_EVENT(mwait)
IGNORE_EVENT(lin_access)
IGNORE_EVENT(phy_access)
IGNORE_EVENT(wrmsr)
IGNORE_EVENT(vmexit)

// The wheel asks for CPU model 27, which it takes for Tiger Lake and its core for Cannon Lake.
// Neither has AVX512_BF16: a Sapphire Rapids takes the place of both.
namespace {

void* create_sapphire_rapids(void* cpu) {
  void* (*create)(void*);
  emulation::bind(create, "_Z28create_sapphire_rapids_cpuidP8BX_CPU_C");
  return create(cpu);
}

}  // namespace

GATEFOLD_EXPORT void* _Z22create_tigerlake_cpuidP8BX_CPU_C(void* cpu) {
  return create_sapphire_rapids(cpu);
}

GATEFOLD_EXPORT void* _Z23create_corei3_cnl_cpuidP8BX_CPU_C(void* cpu) {
  return create_sapphire_rapids(cpu);
}
