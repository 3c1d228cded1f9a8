// The core's soft-float routines, done by the CPU where operands and result are normal or zero and
// rounding is to nearest: there the CPU gives the same bits. Only MXCSR's sticky flags are not
// raised. Everything else goes the core's way.
#include <immintrin.h>

#include <cstring>

#include "tests/emulation/core.h"

namespace {

using gatefold::emulation::bind;

uint32_t exponent(uint32_t x) { return x >> 23 & 255; }
bool normal_or_zero(uint32_t x) { return exponent(x) - 1u < 254u || x << 1 == 0; }
/// Not so near to an end of the range that rounding could have crossed it.
bool well_inside(uint32_t x) { return exponent(x) - 2u < 252u; }
/// The rounding mode is the first byte of the core's status.
bool rounds_to_nearest(const void* status) { return *static_cast<const uint8_t*>(status) == 0; }

float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

bool cpu_agrees(uint32_t a, uint32_t b, const void* status) {
  return normal_or_zero(a) && normal_or_zero(b) && rounds_to_nearest(status);
}

__attribute__((target("fma"))) uint32_t fused(uint32_t a, uint32_t b, uint32_t c) {
  return bits_of(_mm_cvtss_f32(
      _mm_fmadd_ss(_mm_set_ss(float_of(a)), _mm_set_ss(float_of(b)), _mm_set_ss(float_of(c)))));
}

using Binary = uint32_t (*)(uint32_t, uint32_t, void*);
using MulAdd = uint32_t (*)(uint32_t, uint32_t, uint32_t, uint8_t, void*);

}  // namespace

#define BINARY(symbol, op)                                                                        \
  GATEFOLD_EXPORT uint32_t symbol(uint32_t a, uint32_t b, void* status) {                         \
    if (cpu_agrees(a, b, status)) {                                                               \
      const uint32_t result = bits_of(float_of(a) op float_of(b));                                \
      if (well_inside(result)) return result;                                                     \
    }                                                                                             \
    static const auto slow = reinterpret_cast<Binary>(gatefold::emulation::core_symbol(#symbol)); \
    return slow(a, b, status);                                                                    \
  }

BINARY(_Z7f32_muljjP18softfloat_status_t, *)
BINARY(_Z7f32_addjjP18softfloat_status_t, +)
BINARY(_Z7f32_subjjP18softfloat_status_t, -)

GATEFOLD_EXPORT uint32_t _Z10f32_mulAddjjjhP18softfloat_status_t(uint32_t a, uint32_t b, uint32_t c,
                                                                 uint8_t op, void* status) {
  constexpr uint32_t kSign = 0x80000000;
  constexpr uint8_t kNegateC = 1, kNegateProduct = 2;
  if (cpu_agrees(a, b, status) && normal_or_zero(c)) {
    const uint32_t result =
        fused(op & kNegateProduct ? a ^ kSign : a, b, op & kNegateC ? c ^ kSign : c);
    if (well_inside(result)) return result;
  }
  static const auto slow = reinterpret_cast<MulAdd>(
      gatefold::emulation::core_symbol("_Z10f32_mulAddjjjhP18softfloat_status_t"));
  return slow(a, b, c, op, status);
}
