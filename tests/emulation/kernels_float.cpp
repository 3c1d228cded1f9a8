#include <immintrin.h>

#include "tests/emulation/kernels.h"

void k_fma(float* out, const float* a, const float* b, float s) {
  __m512 sum = _mm512_loadu_ps(out);
  sum = _mm512_fmadd_ps(_mm512_loadu_ps(a), _mm512_set1_ps(s), sum);
  sum = _mm512_fnmadd_ps(_mm512_loadu_ps(a), _mm512_loadu_ps(b), sum);
  _mm512_storeu_ps(out, sum);
  const __m512 rounded =
      _mm512_fmadd_round_ps(sum, sum, sum, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  _mm512_storeu_ps(out + 16, rounded);
}

void k_arithmetic(float* out, const float* a, const float* b) {
  const __m512 x = _mm512_loadu_ps(a), y = _mm512_loadu_ps(b);
  _mm512_storeu_ps(out, _mm512_div_ps(x, y));
  _mm512_storeu_ps(out + 16, _mm512_sqrt_ps(_mm512_abs_ps(x)));
  _mm512_storeu_ps(out + 32, _mm512_max_ps(x, y));
  _mm512_storeu_ps(out + 48, _mm512_scalef_ps(x, _mm512_roundscale_ps(y, 0)));
  _mm512_storeu_ps(out + 64, _mm512_cvtepi32_ps(_mm512_cvtps_epi32(x)));
  const __mmask16 less = _mm512_cmp_ps_mask(x, y, _CMP_LT_OQ);
  _mm512_storeu_ps(out + 80, _mm512_mask_blend_ps(less, x, y));
  _mm512_storeu_ps(out + 96, _mm512_rsqrt14_ps(_mm512_abs_ps(x)));
  _mm512_storeu_ps(out + 112, _mm512_rcp14_ps(x));
}

// Scalar, 128-bit and 256-bit forms are emulated too, since a zmm instruction comes first.
void k_narrow(float* out, const float* a, const float* b) {
  _mm512_storeu_ps(out, _mm512_mul_ps(_mm512_loadu_ps(a), _mm512_loadu_ps(b)));
  for (int i = 0; i < 16; ++i) {
    const __m128 c = _mm_load_ss(a + (i ^ 1));
    _mm_store_ss(out + 16 + i, _mm_fmadd_ss(_mm_load_ss(a + i), _mm_load_ss(b + i), c));
  }
  for (int i = 0; i < 16; i += 8) {
    const __m256 c = _mm256_loadu_ps(a + (i ^ 8));
    const __m256 value = _mm256_fnmsub_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), c);
    _mm256_storeu_ps(out + 32 + i, value);
  }
  for (int i = 0; i < 16; i += 4) {
    _mm_storeu_ps(out + 48 + i, _mm_sub_ps(_mm_loadu_ps(a + i), _mm_loadu_ps(b + i)));
  }
  const __m512 x = _mm512_loadu_ps(a), y = _mm512_loadu_ps(b);
  _mm512_storeu_ps(out + 64, _mm512_mask_fmadd_ps(x, 0x3c5a, y, y));
}

void k_flush_to_zero(float* out, const float* a, const float* b) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  asm volatile("" ::: "memory");
  const __m512 x = _mm512_loadu_ps(a);
  _mm512_storeu_ps(out, _mm512_fmadd_ps(x, _mm512_loadu_ps(b), x));
  asm volatile("" ::: "memory");
  _mm_setcsr(before);
}

float k_reduce(const float* a) { return _mm512_reduce_add_ps(_mm512_loadu_ps(a)); }

void k_gather(float* out, const float* base, const int* index, unsigned mask) {
  const __m512i at = _mm512_loadu_si512(index);
  const auto lanes = static_cast<__mmask16>(mask);
  _mm512_storeu_ps(out, _mm512_mask_i32gather_ps(_mm512_setzero_ps(), lanes, at, base, 4));
}

void k_masked(float* out, const float* in, unsigned mask) {
  const auto lanes = static_cast<__mmask16>(mask);
  const __m512 x = _mm512_maskz_loadu_ps(lanes, in);
  _mm512_mask_storeu_ps(out, lanes, _mm512_add_ps(x, _mm512_set1_ps(1)));
}

void k_doubles(double* sum, int64_t* square, const double* a, const int64_t* b) {
  const __m512i y = _mm512_loadu_si512(b);
  _mm512_storeu_pd(sum, _mm512_add_pd(_mm512_loadu_pd(a), _mm512_cvtepi64_pd(y)));
  _mm512_storeu_si512(square, _mm512_mullo_epi64(y, y));
}

void k_gemm_f32(float* c, const float* a, const float* b, int depth) {
  __m512 sum[6][4];
  for (int r = 0; r < 6; ++r) {
    for (int j = 0; j < 4; ++j) sum[r][j] = _mm512_loadu_ps(c + 64 * r + 16 * j);
  }
  for (int k = 0; k < depth; ++k) {
    for (int r = 0; r < 6; ++r) {
      const __m512 x = _mm512_set1_ps(a[r * depth + k]);
      for (int j = 0; j < 4; ++j) {
        sum[r][j] = _mm512_fmadd_ps(x, _mm512_loadu_ps(b + 64 * k + 16 * j), sum[r][j]);
      }
    }
  }
  for (int r = 0; r < 6; ++r) {
    for (int j = 0; j < 4; ++j) _mm512_storeu_ps(c + 64 * r + 16 * j, sum[r][j]);
  }
}
