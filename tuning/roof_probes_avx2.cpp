#include <cpuid.h>

#include "tuning/roof_probes.h"
#include "tuning/roof_probes_x86.h"

// Registers are filled with ordinary numbers first: zeros would draw less power, and so clock
// higher, than any real kernel, and leftovers could be denormal.
// Each loop has more independent accumulators than latency times throughput of its instruction.

namespace gatefold {
namespace {

constexpr float kOrdinary = 0.999f;
constexpr uint32_t kBytes = 0x11111111;
constexpr uint32_t kWordOnes = 0x00010001;

#define CLOBBER_YMM                                                                        \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

#define FMA(i) "vfmadd231ps %%ymm0, %%ymm1, %%ymm" #i "\n"
void run_f32(int64_t iterations) {
  asm volatile(
      "vbroadcastss %[value], %%ymm0\n"
      "vmovaps %%ymm0, %%ymm1\n"
      "1:\n" FMA(2) FMA(3) FMA(4) FMA(5) FMA(6) FMA(7) FMA(8) FMA(9) FMA(10) FMA(11) FMA(12)
          FMA(13) "dec %[n]\n"
                  "jnz 1b\n"
                  "vzeroupper\n"
      : [n] "+r"(iterations)
      : [value] "m"(kOrdinary)
      : "cc", CLOBBER_YMM);
}

// AVX2 has no u8 x s8 dot product: multiply to pairs, add pairs to i32, accumulate.
#define DOT3(tmp, acc)                         \
  "vpmaddubsw %%ymm0, %%ymm1, %%ymm" #tmp      \
  "\n"                                         \
  "vpmaddwd %%ymm2, %%ymm" #tmp ", %%ymm" #tmp \
  "\n"                                         \
  "vpaddd %%ymm" #tmp ", %%ymm" #acc ", %%ymm" #acc "\n"
void run_i8_three(int64_t iterations) {
  asm volatile(
      "vpbroadcastd %[bytes], %%ymm0\n"
      "vmovdqa %%ymm0, %%ymm1\n"
      "vpbroadcastd %[ones], %%ymm2\n"
      "1:\n" DOT3(3, 9) DOT3(4, 10) DOT3(5, 11) DOT3(6, 12) DOT3(7, 13) DOT3(8, 14)
          "dec %[n]\n"
          "jnz 1b\n"
          "vzeroupper\n"
      : [n] "+r"(iterations)
      : [bytes] "m"(kBytes), [ones] "m"(kWordOnes)
      : "cc", CLOBBER_YMM);
}

#define VNNI(i) "%{vex%} vpdpbusd %%ymm0, %%ymm1, %%ymm" #i "\n"
void run_i8_vnni(int64_t iterations) {
  asm volatile(
      "vpbroadcastd %[bytes], %%ymm0\n"
      "vmovdqa %%ymm0, %%ymm1\n"
      "1:\n" VNNI(2) VNNI(3) VNNI(4) VNNI(5) VNNI(6) VNNI(7) VNNI(8) VNNI(9) VNNI(10) VNNI(11)
          VNNI(12) VNNI(13) "dec %[n]\n"
                            "jnz 1b\n"
                            "vzeroupper\n"
      : [n] "+r"(iterations)
      : [bytes] "m"(kBytes)
      : "cc", CLOBBER_YMM);
}

bool has_avx_vnni() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) && (eax & (1u << 4));
}

}  // namespace

PeakProbe f32_probe_avx2() { return {"vfmadd231ps ymm", 12 * 8 * 2, run_f32}; }

PeakProbe i8_probe_avx2() {
  if (has_avx_vnni()) return {"vpdpbusd ymm", 12 * 32 * 2, run_i8_vnni};
  return {"vpmaddubsw+vpmaddwd+vpaddd ymm", 6 * 32 * 2, run_i8_three};
}

}  // namespace gatefold
