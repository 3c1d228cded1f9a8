#include "tests/ptx/rounding.h"

#include <bit>
#include <cmath>

#include "runtime/float_formats.h"
#include "tests/ptx/trouble.h"

namespace gatefold::ptx {
namespace {

/// Whether what is dropped (`rest` of 0 … 2^64 - 1 beside a half of `half`) rounds away from zero.
bool rounds_up(bool negative, bool odd, uint64_t rest, uint64_t half, Round round) {
  switch (round) {
    case Round::nearest_even:
      return rest > half || (rest == half && odd);
    case Round::nearest_away:
      return rest >= half;
    case Round::down:
      return negative && rest != 0;
    case Round::up:
      return !negative && rest != 0;
    case Round::zero:
      return false;
    case Round::none:
      break;
  }
  trouble("no rounding is given");
}

uint64_t beyond_the_largest(bool negative, const FloatFormat& format, Round round) {
  const bool inwards = round == Round::zero || round == (negative ? Round::up : Round::down);
  return format.infinity() - (inwards ? 1 : 0);
}

}  // namespace

FloatFormat format_of(Type type) {
  switch (type) {
    case Type::f16:
    case Type::f16x2:
      return {5, 10};
    case Type::bf16:
    case Type::bf16x2:
      return {8, 7};
    case Type::tf32:
      return {8, 10};
    case Type::f32:
      return {8, 23};
    case Type::f64:
      return {11, 52};
    default:
      trouble("{} is no format of floats", name_of(type));
  }
}

uint64_t encoded(bool negative, uint64_t mantissa, int exponent, const FloatFormat& format,
                 Round round) {
  const uint64_t sign = negative ? format.sign() : 0;
  if (mantissa == 0) return sign;
  const int top = 63 - std::countl_zero(mantissa) + exponent, least_top = 1 - format.bias();
  const int kept_top = top > least_top ? top : least_top;  // below it: subnormal
  const int drop = kept_top - format.mantissa_bits - exponent;
  uint64_t kept = 0, rest = mantissa, half = 0;
  if (drop <= 0) {
    kept = mantissa << -drop;
    rest = 0;
  } else if (drop <= 64) {
    kept = drop == 64 ? 0 : mantissa >> drop;
    rest = drop == 64 ? mantissa : mantissa & ((uint64_t{1} << drop) - 1);
    half = uint64_t{1} << (drop - 1);
  } else {
    half = ~uint64_t{0};  // more than any rest: less than a half is dropped
    rest = 1;
  }
  kept += rest != 0 && rounds_up(negative, (kept & 1) != 0, rest, half, round);
  // The leading bit of a normal number counts one up in the exponent, and so does a carry.
  const auto field = static_cast<uint64_t>(kept_top - least_top);
  const uint64_t bits = (field << format.mantissa_bits) + kept;
  return sign | (bits >= format.infinity() ? beyond_the_largest(negative, format, round) : bits);
}

uint64_t encoded(double value, const FloatFormat& format, Round round) {
  if (std::isnan(value)) return format.nan();
  const bool negative = std::signbit(value);
  if (std::isinf(value)) return format.infinity() | (negative ? format.sign() : 0);
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  return encoded(negative, static_cast<uint64_t>(std::ldexp(fraction, 53)), exponent - 53, format,
                 round);
}

double to_whole(double value, Round round) {
  switch (round) {
    case Round::nearest_even:
      return std::nearbyint(value);
    case Round::zero:
      return std::trunc(value);
    case Round::down:
      return std::floor(value);
    case Round::up:
      return std::ceil(value);
    case Round::nearest_away:
    case Round::none:
      break;
  }
  trouble("no rounding to integers is given");
}

double odd_sum(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double b_part = sum - a, lost = (a - (sum - b_part)) + (b - b_part);
  const auto bits = std::bit_cast<uint64_t>(sum);
  if (lost == 0 || (bits & 1) != 0) return sum;
  // Towards what was lost, which makes the last bit odd.
  return std::bit_cast<double>(bits + ((lost > 0) == (sum > 0) ? 1 : -1));
}

double smaller(double a, double b, bool propagates) {
  const bool a_nan = std::isnan(a), b_nan = std::isnan(b);
  if (a_nan || b_nan) return propagates || a_nan == b_nan ? a + b : a_nan ? b : a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

float flushed(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return (bits & 0x7f800000) == 0 ? std::bit_cast<float>(bits & 0x80000000) : value;
}

float canonical(float value) { return value != value ? std::bit_cast<float>(0x7fffffffu) : value; }
double canonical(double value) {
  return value != value ? std::bit_cast<double>(uint64_t{0x7fffffffffffffff}) : value;
}

float half_value(Type type, uint16_t bits) {
  return type == Type::bf16 || type == Type::bf16x2 ? f32_from_bf16(bits) : f32_from_f16(bits);
}

uint16_t half_bits(Type type, double value) {
  return static_cast<uint16_t>(encoded(value, format_of(type), Round::nearest_even));
}

}  // namespace gatefold::ptx
