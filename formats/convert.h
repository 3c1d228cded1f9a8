#pragma once

#include <bit>
#include <cstdint>

namespace gatefold {

inline float f32_from_bf16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

/// Rounds to nearest even; NaN stays NaN whatever its payload (the bits cut off may be all it has).
inline uint16_t bf16_from_f32(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
  if (is_nan) return static_cast<uint16_t>((bits >> 16) | 0x0040);
  const uint32_t round_up_from_odd = (bits >> 16) & 1;
  return static_cast<uint16_t>((bits + 0x7FFF + round_up_from_odd) >> 16);
}

/// Exact, subnormals included. In integer arithmetic but for one exact product, so that the result
/// does not depend on the CPU having f16c.
inline float f32_from_f16(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16;
  const uint32_t exponent = (half >> 10) & 31;
  const uint32_t mantissa = half & 0x3FF;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000 | mantissa << 13);
  if (exponent == 0) {  // mantissa * 2^-24, a normal f32
    const auto magnitude = std::bit_cast<uint32_t>(static_cast<float>(mantissa) * 0x1p-24f);
    return std::bit_cast<float>(sign | magnitude);
  }
  return std::bit_cast<float>(sign | (exponent + 127 - 15) << 23 | mantissa << 13);
}

}  // namespace gatefold
