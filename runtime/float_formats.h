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

/// Without branches, for the compiler to make vectors of. The one product is exact in any setting:
/// a subnormal's mantissa times 2^-24 is a normal f32.
inline float f32_from_f16(uint16_t value) {
  constexpr uint32_t kRebase = uint32_t{112} << 23;  // from f16's exponent bias to f32's
  const uint32_t sign = uint32_t{value & 0x8000u} << 16;
  const uint32_t magnitude = value & 0x7fffu;
  const uint32_t finite = (magnitude << 13) + kRebase;
  const uint32_t subnormal =
      std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  // Signs of differences as masks: a comparison becomes a branch around the product.
  const auto below = [=](int32_t bound) {
    return static_cast<uint32_t>((static_cast<int32_t>(magnitude) - bound) >> 31);
  };
  const uint32_t small = below(0x400);
  const uint32_t beyond = ~below(0x7c00) & kRebase;  // infinities and NaNs
  return std::bit_cast<float>(sign | (small & subnormal) | (~small & (finite + beyond)));
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
