#include <cpuid.h>

#include "tuning/roof_probes.h"
#include "tuning/roof_probes_x86.h"

// zmm16 to zmm31 are not in the clobber lists: code compiled for the x86-64 baseline never has
// anything in them, and the compiler would refuse the names.

namespace gatefold {
namespace {

constexpr float kOrdinary = 0.999f;
constexpr uint32_t kBf16Ordinary = 0x3f7f3f7f;
constexpr uint32_t kBytes = 0x11111111;

#define CLOBBER_ZMM                                                                        \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

// Version 14 formats this list anew each time it sees it.
// clang-format off
#define EACH_24(M)                                                       \
  M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11)          \
  M(12) M(13) M(14) M(15) M(16) M(17) M(18) M(19) M(20) M(21) M(22) M(23)
// clang-format on

#define DEFINE_PROBE(function, broadcast, constant, MACRO)                          \
  void function(int64_t iterations) {                                               \
    asm volatile(broadcast " %[value], %%zmm30\n"                                 \
                 "vmovaps %%zmm30, %%zmm31\n"                                     \
                 "1:\n" EACH_24(MACRO) "dec %[n]\n"                               \
                 "jnz 1b\n"                                                       \
                 "vzeroupper\n"                                                   \
                 : [n] "+r"(iterations)                                           \
                 : [value] "m"(constant)                                          \
                 : "cc", CLOBBER_ZMM); \
  }

#define FMA(i) "vfmadd231ps %%zmm30, %%zmm31, %%zmm" #i "\n"
#define BF16(i) "vdpbf16ps %%zmm30, %%zmm31, %%zmm" #i "\n"
#define VNNI(i) "vpdpbusd %%zmm30, %%zmm31, %%zmm" #i "\n"
DEFINE_PROBE(run_f32, "vbroadcastss", kOrdinary, FMA)
DEFINE_PROBE(run_bf16, "vpbroadcastd", kBf16Ordinary, BF16)
DEFINE_PROBE(run_i8, "vpbroadcastd", kBytes, VNNI)

bool has_avx512_vnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ecx & (1u << 11));
}

}  // namespace

PeakProbe f32_probe_avx512() { return {"vfmadd231ps zmm", 24 * 16 * 2, run_f32}; }

PeakProbe bf16_probe_avx512() { return {"vdpbf16ps zmm", 24 * 32 * 2, run_bf16}; }

PeakProbe i8_probe_avx512() {
  if (!has_avx512_vnni()) return i8_probe_avx2();
  return {"vpdpbusd zmm", 24 * 64 * 2, run_i8};
}

}  // namespace gatefold
