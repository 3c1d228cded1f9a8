#include <immintrin.h>

#include "tests/emulation/kernels.h"

void k_callback(float* out, const float* a, void (*native)()) {
  const __m512 x = _mm512_loadu_ps(a);
  native();
  _mm512_storeu_ps(out, _mm512_add_ps(x, _mm512_set1_ps(2)));
}

void k_illegal() { asm volatile("ud2"); }

void k_spin(volatile int* mine, volatile int* other, int rounds, const float* a, float* out) {
  const __m512 x = _mm512_loadu_ps(a);
  asm volatile("vmovaps %0, %%zmm20\n\tvmovaps %0, %%zmm3\n\tkmovw %1, %%k3" ::"v"(x), "r"(0x5a5a)
               : "xmm20", "xmm3", "k3");
  for (int round = 1; round <= rounds; ++round) {
    *mine = round;
    while (*other < round) {
    }
  }
  asm volatile("vaddps %%zmm20, %%zmm3, %%zmm3%{%%k3%}\n\tvmovups %%zmm3, %0"
               : "=m"(*reinterpret_cast<float(*)[16]>(out)));
}
