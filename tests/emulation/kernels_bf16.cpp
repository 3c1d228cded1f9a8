#include <immintrin.h>

#include "tests/emulation/kernels.h"

// Register and broadcast forms, with and without a mask, and 256 bits. `sums` holds 5 groups; the
// first is the addend of all.
void k_dot(float* sums, const uint32_t* a, const uint32_t* b, unsigned mask) {
  const __m512 c = _mm512_loadu_ps(sums);
  const auto x = (__m512bh)_mm512_loadu_si512(a), y = (__m512bh)_mm512_loadu_si512(b);
  const auto lanes = static_cast<__mmask16>(mask);
  _mm512_storeu_ps(sums, _mm512_dpbf16_ps(c, x, y));
  _mm512_storeu_ps(sums + 16, _mm512_mask_dpbf16_ps(c, lanes, x, y));
  _mm512_storeu_ps(sums + 32, _mm512_maskz_dpbf16_ps(lanes, c, x, y));
  const auto one = (__m512bh)_mm512_set1_epi32(static_cast<int>(b[3]));
  _mm512_storeu_ps(sums + 48, _mm512_dpbf16_ps(c, x, one));
  const auto x8 = (__m256bh)_mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
  const auto y8 = (__m256bh)_mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
  _mm256_storeu_ps(sums + 64, _mm256_dpbf16_ps(_mm256_loadu_ps(sums), x8, y8));
}

// 112 results: both inputs, the same zeroed by the mask, `low` alone, both merged into 0x1111.
void k_convert(uint16_t* out, const float* high, const float* low, unsigned mask) {
  const __m512 h = _mm512_loadu_ps(high), l = _mm512_loadu_ps(low);
  _mm512_storeu_si512(out, (__m512i)_mm512_cvtne2ps_pbh(h, l));
  _mm512_storeu_si512(out + 32, (__m512i)_mm512_maskz_cvtne2ps_pbh(mask, h, l));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 64), (__m256i)_mm512_cvtneps_pbh(l));
  const auto old = (__m512bh)_mm512_set1_epi16(0x1111);
  _mm512_storeu_si512(out + 80, (__m512i)_mm512_mask_cvtne2ps_pbh(old, mask, h, l));
}
