#pragma once

#include <cstdint>

#include "tests/ptx/instruction.h"

namespace gatefold::ptx {

struct FloatFormat {
  int exponent_bits, mantissa_bits;
  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  uint64_t infinity() const { return ((uint64_t{1} << exponent_bits) - 1) << mantissa_bits; }
  uint64_t sign() const { return uint64_t{1} << (exponent_bits + mantissa_bits); }
  /// What PTX gives for a NaN: all ones below the sign.
  uint64_t nan() const { return sign() - 1; }
};

FloatFormat format_of(Type type);  ///< of a pair that of its halves; tf32 ends at its 10 bits

/// mantissa * 2^exponent in the format, rounded once.
uint64_t encoded(bool negative, uint64_t mantissa, int exponent, const FloatFormat& format,
                 Round round);
/// The same of a double, with infinities and NaN.
uint64_t encoded(double value, const FloatFormat& format, Round round);

/// To a whole number; round: nearest_even, zero, down or up.
double to_whole(double value, Round round);

/// a + b in double, where an inexact sum is made odd: rounding that once more to 50 bits or fewer
/// is then as if the exact sum had been rounded.
double odd_sum(double a, double b);

/// min of PTX: NaN only if both are, or one of them if NaN propagates; -0 is below +0.
double smaller(double a, double b, bool propagates);

/// Subnormal values become zeros of their sign.
float flushed(float value);
/// As PTX writes a NaN.
float canonical(float value);
double canonical(double value);

/// Values of 16-bit formats, exact in a float.
float half_value(Type type, uint16_t bits);
/// To the nearest.
uint16_t half_bits(Type type, double value);

}  // namespace gatefold::ptx
