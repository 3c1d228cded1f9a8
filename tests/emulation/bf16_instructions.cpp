// The AVX512_BF16 instructions that the core does slowly (vdpbf16ps) or wrongly (vcvtne2ps2bf16).
#include <immintrin.h>

#include "tests/emulation/instruction.h"

#define FMA_TARGET __attribute__((target("avx2,fma")))

namespace {

using gatefold::emulation::Instruction;

constexpr uint32_t kFlushToZero = 0x9fc0;  // with denormals-are-zero, nearest, all masked

/// Both instructions treat denormals as zero and round to nearest, whatever MXCSR says.
class FixedRounding {
 public:
  FixedRounding() : saved_(_mm_getcsr()) { _mm_setcsr(kFlushToZero); }
  ~FixedRounding() { _mm_setcsr(saved_); }
  FixedRounding(const FixedRounding&) = delete;
  FixedRounding& operator=(const FixedRounding&) = delete;

 private:
  uint32_t saved_;
};

FMA_TARGET __m256 odd_elements(__m256i pairs) {
  return _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(-0x10000)));
}

FMA_TARGET __m256 even_elements(__m256i pairs) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
}

/// Each lane: the odd product is added first, then the even one, both fused.
FMA_TARGET void add_dot_products(uint32_t* sum, const uint32_t* a, const uint32_t* b) {
  const auto* at = reinterpret_cast<__m256i*>(sum);
  const __m256i x = _mm256_load_si256(reinterpret_cast<const __m256i*>(a));
  const __m256i y = _mm256_load_si256(reinterpret_cast<const __m256i*>(b));
  __m256 c = _mm256_castsi256_ps(_mm256_loadu_si256(at));
  c = _mm256_fmadd_ps(odd_elements(x), odd_elements(y), c);
  c = _mm256_fmadd_ps(even_elements(x), even_elements(y), c);
  _mm256_storeu_ps(reinterpret_cast<float*>(sum), c);
}

template <class T>
void write_masked(const Instruction& i, const T* result, int lanes) {
  constexpr int kAll = 64 / sizeof(T);
  T* destination = i.destination<T>();
  for (int n = 0; n < kAll; ++n) {
    if (n >= lanes) {
      destination[n] = 0;
    } else if (i.mask() >> n & 1) {
      destination[n] = result[n];
    } else if (i.zeroing()) {
      destination[n] = 0;
    }
  }
}

uint16_t bf16_of(uint32_t x) {
  const uint32_t magnitude = x & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(x >> 16 | 0x40);  // NaN, made quiet
  if (magnitude < 0x00800000) return static_cast<uint16_t>(x >> 16 & 0x8000);
  return static_cast<uint16_t>((x + 0x7fff + (x >> 16 & 1)) >> 16);
}

}  // namespace

GATEFOLD_EXPORT FMA_TARGET void _ZN8BX_CPU_C25VDPBF16PS_MASK_VpsHdqWdqREP15bxInstruction_c(
    uint8_t* at) {
  const Instruction i(at);
  uint32_t sum[16];
  memcpy(sum, i.destination<uint32_t>(), sizeof sum);
  {
    const FixedRounding fixed;
    for (int n = 0; n < 16; n += 8) {
      add_dot_products(sum + n, i.source1<uint32_t>() + n, i.source2<uint32_t>() + n);
    }
  }
  if (i.words() == 16 && i.mask() == ~uint32_t{0}) {
    memcpy(i.destination<uint32_t>(), sum, sizeof sum);
  } else {
    write_masked(i, sum, i.words());
  }
  i.next();
}

// Bochs 3.0 reads past its first operand here, so that the upper half of the result is wrong.
GATEFOLD_EXPORT void _ZN8BX_CPU_C30VCVTNE2PS2BF16_MASK_VphHpsWpsREP15bxInstruction_c(uint8_t* at) {
  const Instruction i(at);
  const auto *high = i.source1<uint32_t>(), *low = i.source2<uint32_t>();
  const int half = i.words();
  uint16_t result[32] = {};
  for (int n = 0; n < half; ++n) {
    result[n] = bf16_of(low[n]);
    result[half + n] = bf16_of(high[n]);
  }
  write_masked(i, result, 2 * half);
  i.next();
}
