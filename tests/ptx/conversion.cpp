#include <cmath>

#include "tests/ptx/lanes.h"
#include "tests/ptx/rounding.h"

namespace gatefold::ptx {
namespace {

using Wide = __int128;

struct Range {
  Wide least, most;
};
Range range_of(Type type) {
  const int bits = bits_of(type);
  const Wide one = 1;
  if (is_signed(type)) return {-(one << (bits - 1)), (one << (bits - 1)) - 1};
  return {0, (one << bits) - 1};
}

Wide integer_of(Type type, uint64_t bits) {
  Wide value = 0;
  with_integer(type, [&](auto zero) { value = value_as<decltype(zero)>(bits); });
  return value;
}

double float_of(const Instruction& in, Type type, uint64_t bits) {
  switch (type) {
    case Type::f64:
      return value_as<double>(bits);
    case Type::f32: {
      const float value = value_as<float>(bits);
      return in.flushes() ? flushed(value) : value;
    }
    default:
      return half_value(type, static_cast<uint16_t>(bits));
  }
}

uint64_t integer_from_integer(const Instruction& in, Wide value, Type to) {
  const auto [least, most] = range_of(to);
  if (in.has(Group::saturate)) value = value < least ? least : value > most ? most : value;
  return static_cast<uint64_t>(value);
}

/// Out of range is the nearest end; NaN is 0, or the sign bit's place where 64 bits take part.
uint64_t integer_from_float(const Instruction& in, double value, Type from, Type to) {
  if (std::isnan(value)) {
    const bool wide = from == Type::f64 || bits_of(to) == 64;
    return wide ? uint64_t{1} << (bits_of(to) - 1) : 0;
  }
  const auto [least, most] = range_of(to);
  const double whole = to_whole(value, in.modifier<Round>(Group::integer_round));
  if (whole < static_cast<double>(least)) return static_cast<uint64_t>(least);
  // The largest of 64 bits is no double: its double is one above it.
  if (whole >= static_cast<double>(most)) return static_cast<uint64_t>(most);
  return static_cast<uint64_t>(static_cast<Wide>(whole));
}

uint64_t float_from_integer(const Instruction& in, Wide value, Type to) {
  const auto size = static_cast<uint64_t>(value < 0 ? -value : value);
  return encoded(value < 0, size, 0, format_of(to), in.round());
}

uint64_t float_from_float(const Instruction& in, double value, Type to) {
  if (in.has(Group::integer_round)) {
    value = to_whole(value, in.modifier<Round>(Group::integer_round));
  }
  if (in.has(Group::saturate)) value = value > 0 ? std::fmin(value, 1.0) : 0.0;
  if (in.has(Group::relu) && value < 0) value = 0;
  const Round round = in.round() == Round::none ? Round::nearest_even : in.round();
  const uint64_t bits = encoded(value, format_of(to), round);
  if (to == Type::tf32) return bits << 13;  // the high bits of an f32
  return to == Type::f32 && in.flushes() ? bits_as(flushed(value_as<float>(bits))) : bits;
}

uint64_t converted(const Instruction& in, uint64_t bits, Type from, Type to) {
  if (is_integer(from)) {
    const Wide value = integer_of(from, bits);
    return is_integer(to) ? integer_from_integer(in, value, to) : float_from_integer(in, value, to);
  }
  const double value = float_of(in, from, bits);
  return is_integer(to) ? integer_from_float(in, value, from, to) : float_from_float(in, value, to);
}

}  // namespace

void execute_conversion(const Step& step) {
  const Instruction& in = step.in;
  const Type to_type = in.types[0], from_type = in.types[1];
  uint64_t* to = step.row(0);
  const uint64_t* a = step.row(1);
  if (is_pair(to_type)) {  // the first source is the upper half
    const uint64_t* low = step.row(2);
    return for_lanes(step.mask, [&](int i) {
      to[i] =
          converted(in, a[i], from_type, to_type) << 16 | converted(in, low[i], from_type, to_type);
    });
  }
  for_lanes(step.mask, [&](int i) { to[i] = converted(in, a[i], from_type, to_type); });
}

}  // namespace gatefold::ptx
