// Packed single-precision arithmetic without a mask, on the CPU's AVX2 and FMA units: a hundred
// times the speed of the core's lane after lane. CPU and core round alike while the emulated MXCSR
// has its default controls, which a signal handler starts with; anything else goes the core's way.
#include <immintrin.h>

#include "tests/emulation/instruction.h"

#define FMA_TARGET __attribute__((target("avx2,fma")))

namespace {

using gatefold::emulation::core;
using gatefold::emulation::Handler;
using gatefold::emulation::Instruction;

constexpr uint32_t kDefaultControls = 0x1f80, kControls = 0xffc0;  // the rest are sticky flags

bool cpu_rounds_alike(const Instruction& i) {
  return !i.embedded_rounding() && (core.get_mxcsr(0) & kControls) == kDefaultControls;
}

template <class Op>
FMA_TARGET inline void packed(uint8_t* at, Handler slow, Op op) {
  const Instruction i(at);
  if (!cpu_rounds_alike(i)) return slow(at);
  auto* result = i.destination<float>();
  const auto *x = i.source1<float>(), *y = i.source2<float>(), *z = i.source3<float>();
  __m256 low = op(_mm256_load_ps(x), _mm256_load_ps(y), _mm256_load_ps(z));
  __m256 high = _mm256_setzero_ps();
  if (i.words() == 16) {
    high = op(_mm256_load_ps(x + 8), _mm256_load_ps(y + 8), _mm256_load_ps(z + 8));
  } else if (i.words() == 4) {
    low = _mm256_insertf128_ps(_mm256_setzero_ps(), _mm256_castps256_ps128(low), 0);
  }
  _mm256_store_ps(result, low);
  _mm256_store_ps(result + 8, high);
  i.next();
}

}  // namespace

#define PACKED(symbol, operation)                                                                  \
  GATEFOLD_EXPORT FMA_TARGET void symbol(uint8_t* at) {                                            \
    static const auto slow = reinterpret_cast<Handler>(gatefold::emulation::core_symbol(#symbol)); \
    packed(at, slow,                                                                               \
           [](__m256 x, __m256 y, [[maybe_unused]] __m256 z) FMA_TARGET { return operation; });    \
  }
// The core's handlers are templates over a function on 128 bits; `n` is the length of its name.
#define PACKED3(n, name, operation)                                                                                                \
  PACKED(                                                                                                                          \
      _ZN8BX_CPU_C18HANDLE_AVX_PFP_3OPIXadL_Z##n##xmm_##name##P12bx_xmm_reg_tPKS1_S4_R18softfloat_status_tEEEEvP15bxInstruction_c, \
      operation)
#define PACKED2(n, name, operation)                                                                                             \
  PACKED(                                                                                                                       \
      _ZN8BX_CPU_C18HANDLE_AVX_PFP_2OPIXadL_Z##n##xmm_##name##P12bx_xmm_reg_tPKS1_R18softfloat_status_tEEEEvP15bxInstruction_c, \
      operation)

PACKED3(11, fmaddps, _mm256_fmadd_ps(x, y, z))
PACKED3(11, fmsubps, _mm256_fmsub_ps(x, y, z))
PACKED3(12, fnmaddps, _mm256_fnmadd_ps(x, y, z))
PACKED3(12, fnmsubps, _mm256_fnmsub_ps(x, y, z))
PACKED2(9, addps, _mm256_add_ps(x, y))
PACKED2(9, subps, _mm256_sub_ps(x, y))
PACKED2(9, mulps, _mm256_mul_ps(x, y))
