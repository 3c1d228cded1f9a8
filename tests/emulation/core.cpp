#include "tests/emulation/core.h"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "tests/emulation/guest_memory.h"

namespace gatefold::emulation {

Core core;

void give_up(const char* why, const char* what) {
  dprintf(STDERR_FILENO, "avx512_emulator: %s%s\n", why, what);
  abort();
}

void* core_symbol(const char* name) {
  void* found = dlsym(core.handle, name);
  if (!found) give_up("the core lacks the symbol ", name);
  return found;
}

namespace {

void* open_beside_this_library(const char* name, int mode) {
  Dl_info self;
  dladdr(reinterpret_cast<void*>(&open_beside_this_library), &self);
  const char* slash = strrchr(self.dli_fname, '/');
  char path[PATH_MAX];
  const int folder = slash ? static_cast<int>(slash + 1 - self.dli_fname) : 0;
  snprintf(path, sizeof path, "%.*s%s", folder, self.dli_fname, name);
  void* handle = dlopen(path, mode);
  if (!handle) give_up("", dlerror());
  return handle;
}

void open_core() {
  // The wheel is a Python module, but none of the Python functions it refers to is ever called.
  if (!dlsym(RTLD_DEFAULT, "_Py_NoneStruct")) {
    open_beside_this_library("libpython_stubs.so", RTLD_LAZY | RTLD_GLOBAL);
  }
  core.handle = open_beside_this_library("libbochs_core.so", RTLD_LAZY | RTLD_LOCAL);
}

void bind_functions() {
  bind(core.cpu, "bx_cpu");
  bind(core.create, "cpu_new");
  bind(core.loop, "cpu_loop");
  bind(core.set_mode, "cpu_set_mode");
  bind(core.get_reg64, "cpu_get_reg64");
  bind(core.set_reg64, "cpu_set_reg64");
  bind(core.set_pc, "cpu_set_pc");
  bind(core.get_eflags, "cpu_get_eflags");
  bind(core.set_eflags, "cpu_set_eflags");
  bind(core.set_segment, "cpu_set_seg");
  bind(core.get_cr2, "cpu_get_cr2");
  bind(core.get_mxcsr, "cpu_get_mxcsr");
  bind(core.set_mxcsr, "cpu_set_mxcsr");
  bind(core.force_flags, "_ZN8BX_CPU_C11force_flagsEv");
  bind(core.flush_decoded, "_Z12flushICachesv");
}

void set32(const char* setter, uint32_t value) {
  void (*set)(unsigned, uint32_t);
  bind(set, setter);
  set(0, value);
}

void set64(const char* setter, uint64_t value) {
  void (*set)(unsigned, uint64_t);
  bind(set, setter);
  set(0, value);
}

void enter_user_mode() {
  set32("cpu_set_cr0", 0x80010033);  // PG WP NE ET MP PE
  set32("cpu_set_cr4", 0x00050620);  // OSXSAVE FSGSBASE OSXMMEXCPT OSFXSR PAE
  set32("cpu_set_efer", 0xd01);      // NXE LMA LME SCE
  set32("cpu_set_xcr0", 0xe7);       // x87 SSE AVX opmask ZMM_Hi256 Hi16_ZMM
  set64("cpu_set_cr3", kRootTable);
  set64("cpu_set_lstar", kSyscallTrap);
  set64("cpu_set_star", 0x0023001000000000);
  reset_segments();
}

/// The offsets of core.h are those of one build of the core.
void check_layout() {
  uint64_t probe[8];
  for (uint64_t i = 0; i < 8; ++i) probe[i] = 0x1234567887654321 * (i + 1);
  void (*set_zmm)(unsigned, unsigned, const uint64_t*);
  bind(set_zmm, "cpu_set_zmm");
  set_zmm(0, 31, probe);
  core.set_pc(0, probe[0]);
  if (memcmp(zmm(31), probe, sizeof probe) != 0 || instruction_pointer() != probe[0]) {
    give_up("the core's registers are not where they should be", "");
  }
}

}  // namespace

void reset_segments() {
  uint64_t fs = 0;
  asm("mov %%fs:0, %0" : "=r"(fs));  // the ABI keeps the base there
  constexpr unsigned kEs = 0, kCs = 1, kSs = 2, kDs = 3, kFs = 4, kGs = 5;
  core.set_segment(0, kCs, 1, 0x33, 0, 0xffffffff, 0xa0fb);  // 64-bit code, ring 3
  for (unsigned data : {kSs, kDs, kEs, kGs}) {
    core.set_segment(0, data, 1, 0x2b, 0, 0xffffffff, 0xc0f3);
  }
  core.set_segment(0, kFs, 1, 0, fs, 0xffffffff, 0xc0f3);
  core.set_mode(0);
}

void start_core() {
  open_core();
  bind_functions();
  make_guest_memory();
  core.create(0);
  enter_user_mode();
  check_layout();
}

}  // namespace gatefold::emulation
