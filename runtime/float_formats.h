#pragma once

#include <bit>
#include <cstdint>

namespace gatefold {

// On bits only, so that no setting of the floating-point unit and no CPU changes them.

inline float f32_from_bf16(uint16_t value) { return std::bit_cast<float>(uint32_t{value} << 16); }

/// Nearest-even; NaN stays NaN (a payload in the low bits would else become infinity), subnormals
/// are kept.
inline uint16_t bf16_from_f32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const bool nan = (bits & 0x7fffffff) > 0x7f800000;
  return static_cast<uint16_t>(nan ? (bits >> 16) | 0x40 : rounded);
}

inline float f32_from_f16(uint16_t value) {
  const uint32_t sign = uint32_t{value & 0x8000u} << 16;
  const uint32_t exponent = (value >> 10) & 0x1f;
  uint32_t mantissa = value & 0x3ff;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
  if (mantissa == 0) return std::bit_cast<float>(sign);
  const int shift = std::countl_zero(mantissa) - 21;  // brings the leading one to bit 10
  mantissa = (mantissa << shift) & 0x3ff;
  return std::bit_cast<float>(sign | static_cast<uint32_t>(113 - shift) << 23 | mantissa << 13);
}

/// Nearest-even; NaN stays NaN, what lies past 65504 by half a step or more becomes infinite.
inline uint16_t f16_from_f32(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffff;
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00 | (bits >> 13 & 0x1ff));
  if (magnitude >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude >= 0x38800000) {  // normal: 13 bits go, the exponent's bias shrinks by 112
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
  }
  if (magnitude < 0x33000000) return sign;  // below half of the smallest one
  const uint32_t shift = 126 - (magnitude >> 23), mantissa = (magnitude & 0x7fffff) | 0x800000;
  const uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1);
  const uint32_t half = 1u << (shift - 1);
  return static_cast<uint16_t>(sign | (kept + (rest > half || (rest == half && (kept & 1)))));
}

}  // namespace gatefold
