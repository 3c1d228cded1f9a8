#include <immintrin.h>

#include "tests/emulation/kernels.h"

void k_permute(int* out, const int* a, const int* b, const int* index) {
  const __m512i x = _mm512_loadu_si512(a), y = _mm512_loadu_si512(b);
  const __m512i at = _mm512_loadu_si512(index);
  _mm512_storeu_si512(out, _mm512_permutex2var_epi32(x, at, y));
  _mm512_storeu_si512(out + 16, _mm512_permutexvar_epi32(at, x));
  _mm512_storeu_si512(out + 32, _mm512_mask_compress_epi32(_mm512_setzero_si512(), 0xa5a5, x));
}

void k_bytes(uint8_t* out, const uint8_t* a, const uint8_t* b) {
  const __m512i x = _mm512_loadu_si512(a), y = _mm512_loadu_si512(b);
  _mm512_storeu_si512(out, _mm512_adds_epi8(x, y));
  _mm512_storeu_si512(out + 64, _mm512_mask_sub_epi8(x, _mm512_cmpgt_epu8_mask(x, y), x, y));
}

void k_ternary(int* out, const int* a) {
  const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
  const __m256i result = _mm256_maskz_ternarylogic_epi32(0x5a, x, _mm256_set1_epi32(0x0f0f0f0f),
                                                         _mm256_set1_epi32(7), 0x96);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), result);
}

// A VEX instruction zeroes bits 511:256 of what it writes.
void k_upper_half(int* out, const int* a) {
  const __m512i x = _mm512_loadu_si512(a);
  asm volatile("vmovdqa64 %1, %%zmm5\n\tvpaddd %%ymm5, %%ymm5, %%ymm5\n\tvmovdqu64 %%zmm5, %0"
               : "=m"(*reinterpret_cast<int(*)[16]>(out))
               : "v"(x)
               : "xmm5");
}

void k_dot_bytes(int* out, const uint8_t* a, const int8_t* b) {
  const __m512i x = _mm512_loadu_si512(a), y = _mm512_loadu_si512(b);
  _mm512_storeu_si512(out, _mm512_dpbusd_epi32(_mm512_loadu_si512(out), x, y));
}

void k_leading_zeros(int* out, const int* a) {
  _mm512_storeu_si512(out, _mm512_lzcnt_epi32(_mm512_loadu_si512(a)));
}

void k_popcount(int* words, uint8_t* bytes, const int* a, const uint8_t* b) {
  _mm512_storeu_si512(words, _mm512_popcnt_epi32(_mm512_loadu_si512(a)));
  _mm512_storeu_si512(bytes, _mm512_popcnt_epi8(_mm512_loadu_si512(b)));
}

void k_permute_bytes(uint8_t* out, const uint8_t* a, const uint8_t* index) {
  const __m512i at = _mm512_loadu_si512(index);
  _mm512_storeu_si512(out, _mm512_permutexvar_epi8(at, _mm512_loadu_si512(a)));
}

void k_compress_words(uint16_t* out, const uint16_t* a, unsigned mask) {
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi16(mask, _mm512_loadu_si512(a)));
}

void k_multiply52(uint64_t* out, const uint64_t* a, const uint64_t* b) {
  const __m512i x = _mm512_loadu_si512(a), y = _mm512_loadu_si512(b);
  _mm512_storeu_si512(out, _mm512_madd52lo_epu64(_mm512_loadu_si512(out), x, y));
}

void k_galois(uint8_t* out, const uint8_t* a, const uint8_t* b) {
  const __m512i x = _mm512_loadu_si512(a);
  _mm512_storeu_si512(out, _mm512_gf2p8mul_epi8(x, _mm512_loadu_si512(b)));
}
