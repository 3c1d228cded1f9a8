#include <limits>

#include "tests/ptx/lanes.h"

namespace gatefold::ptx {
namespace {

// Sums and products are computed in u64 and cut off: that wraps at every width.
template <typename T>
T wrapped(uint64_t value) {
  return static_cast<T>(value);
}
template <typename T>
uint64_t wide(T value) {
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

int32_t saturated(int64_t value) {
  if (value > std::numeric_limits<int32_t>::max()) return std::numeric_limits<int32_t>::max();
  if (value < std::numeric_limits<int32_t>::min()) return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(value);
}

template <typename T>
T high_part(T a, T b) {
  using Twice = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>((static_cast<Twice>(a) * static_cast<Twice>(b)) >> (8 * sizeof(T)));
}

template <typename T>
void multiply(const Step& step, bool adds) {
  uint64_t* to = step.row(0);
  const uint64_t *a = step.row(1), *b = step.row(2), *c = adds ? step.row(3) : nullptr;
  const Part part = step.in.modifier<Part>(Group::part);
  for_lanes(step.mask, [&](int i) {
    const T x = value_as<T>(a[i]), y = value_as<T>(b[i]);
    // .wide is twice as wide: its addend too.
    const uint64_t product = part == Part::high ? wide(high_part(x, y)) : wide(x) * wide(y);
    const uint64_t sum = product + (adds ? c[i] : 0);
    to[i] = part == Part::wide && sizeof(T) == 2 ? sum & 0xffffffff
            : part == Part::wide                 ? sum
                                                 : bits_as(wrapped<T>(sum));
  });
}

template <typename T>
void divide(const Step& step, bool remainder) {
  uint64_t* to = step.row(0);
  const uint64_t *a = step.row(1), *b = step.row(2);
  for_lanes_named(step.mask, [&](int i) {
    const T x = value_as<T>(a[i]), y = value_as<T>(b[i]);
    if (y == 0) trouble("{} divided by zero", x);
    // The one quotient that overflows is undefined for C++ where it only wraps here.
    const bool negates = std::is_signed_v<T> && y == static_cast<T>(-1);
    if (negates) {
      to[i] = remainder ? 0 : bits_as(wrapped<T>(0 - wide(x)));
    } else {
      to[i] = bits_as(static_cast<T>(remainder ? x % y : x / y));
    }
  });
}

template <typename T>
void execute(const Step& step) {
  const bool saturates = step.in.has(Group::saturate);
  switch (step.in.op) {
    case Op::add:
      if (saturates) {
        return map_binary<int32_t>(
            step, [](int64_t a, int64_t b) -> int32_t { return saturated(a + b); });
      }
      return map_binary<T>(step, [](T a, T b) { return wrapped<T>(wide(a) + wide(b)); });
    case Op::sub:
      if (saturates) {
        return map_binary<int32_t>(
            step, [](int64_t a, int64_t b) -> int32_t { return saturated(a - b); });
      }
      return map_binary<T>(step, [](T a, T b) { return wrapped<T>(wide(a) - wide(b)); });
    case Op::mul:
      return multiply<T>(step, false);
    case Op::mad:
      return multiply<T>(step, true);
    case Op::div:
      return divide<T>(step, false);
    case Op::rem:
      return divide<T>(step, true);
    case Op::neg:
      return map_unary<T>(step, [](T a) { return wrapped<T>(0 - wide(a)); });
    case Op::abs:
      return map_unary<T>(step, [](T a) { return a < 0 ? wrapped<T>(0 - wide(a)) : a; });
    case Op::min:
      return map_binary<T>(step, [](T a, T b) { return a < b ? a : b; });
    case Op::max:
      return map_binary<T>(step, [](T a, T b) { return a > b ? a : b; });
    default:
      trouble("not an operation of integers");
  }
}

template <typename T>
T of_half(Op op, T a, T b) {
  if (op == Op::add) return wrapped<T>(wide(a) + wide(b));
  return (a < b) == (op == Op::min) ? a : b;
}

/// Two numbers of 16 bits in one register.
template <typename T>
void execute_halves(const Step& step) {
  map_binary<uint32_t>(step, [op = step.in.op](uint32_t a, uint32_t b) {
    uint32_t both = 0;
    for (int at = 0; at < 32; at += 16) {
      const T result = of_half(op, static_cast<T>(a >> at), static_cast<T>(b >> at));
      both |= static_cast<uint32_t>(bits_as(result)) << at;
    }
    return both;
  });
}

}  // namespace

void execute_integer(const Step& step) {
  if (step.in.type() == Type::u16x2) return execute_halves<uint16_t>(step);
  if (step.in.type() == Type::s16x2) return execute_halves<int16_t>(step);
  with_integer(step.in.type(), [&](auto zero) { execute<decltype(zero)>(step); });
}

}  // namespace gatefold::ptx
