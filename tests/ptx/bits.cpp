#include <algorithm>

#include "tests/ptx/lanes.h"

namespace gatefold::ptx {
namespace {

/// Shift counts are u32 for every type and count up to its width.
template <typename T>
void shift(const Step& step) {
  constexpr uint32_t kWidth = 8 * sizeof(T);
  uint64_t* to = step.row(0);
  const uint64_t *a = step.row(1), *b = step.row(2);
  for_lanes(step.mask, [&](int i) {
    const T x = value_as<T>(a[i]);
    const uint32_t by = value_as<uint32_t>(b[i]);
    if (step.in.op == Op::shl) {
      to[i] = by >= kWidth ? 0 : bits_as(static_cast<T>(uint64_t(x) << by));
    } else if (by >= kWidth) {
      to[i] = bits_as(static_cast<T>(x < 0 ? -1 : 0));
    } else {
      to[i] = bits_as(static_cast<T>(x >> by));
    }
  });
}

/// Bits from `at` on, as many as `length`; what lies beyond the type is its sign (s) or 0 (u).
template <typename T>
T extracted(T value, uint32_t at, uint32_t length) {
  constexpr uint32_t kWidth = 8 * sizeof(T);
  at &= 0xff;
  length &= 0xff;
  if (length == 0) return 0;
  const uint32_t last = std::min(at + length - 1, kWidth - 1);
  const bool sign = std::is_signed_v<T> && (uint64_t(value) >> last & 1) != 0;
  std::make_unsigned_t<T> result = 0;
  for (uint32_t i = 0; i < kWidth; ++i) {
    const bool bit = i < length && at + i < kWidth ? uint64_t(value) >> (at + i) & 1 : sign;
    result |= static_cast<std::make_unsigned_t<T>>(bit) << i;
  }
  return static_cast<T>(result);
}

template <typename T>
void extract(const Step& step) {
  uint64_t* to = step.row(0);
  const uint64_t *a = step.row(1), *b = step.row(2), *c = step.row(3);
  for_lanes(step.mask, [&](int i) {
    to[i] = bits_as(extracted(value_as<T>(a[i]), uint32_t(b[i]), uint32_t(c[i])));
  });
}

template <typename T>
void insert(const Step& step) {
  constexpr uint32_t kWidth = 8 * sizeof(T);
  uint64_t* to = step.row(0);
  const uint64_t *a = step.row(1), *b = step.row(2), *c = step.row(3), *d = step.row(4);
  for_lanes(step.mask, [&](int i) {
    const uint32_t at = c[i] & 0xff, length = d[i] & 0xff;
    T result = value_as<T>(b[i]);
    for (uint32_t k = 0; k < length && at + k < kWidth; ++k) {
      const T bit = T{1} << (at + k);
      result = (a[i] >> k & 1) != 0 ? result | bit : result & ~bit;
    }
    to[i] = result;
  });
}

/// A nibble of the selector picks one of eight bytes, or with its high bit that byte's sign.
uint32_t permuted(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = uint64_t{b} << 32 | a;
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t pick = selector >> (4 * i) & 0xf;
    uint32_t byte = bytes >> (8 * (pick & 7)) & 0xff;
    if ((pick & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

uint32_t looked_up(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t row = 0; row < 8; ++row) {
    if ((table >> row & 1) == 0) continue;
    result |= ((row & 4) != 0 ? a : ~a) & ((row & 2) != 0 ? b : ~b) & ((row & 1) != 0 ? c : ~c);
  }
  return result;
}

void look_up(const Step& step) {
  uint64_t* to = step.row(0);
  const uint64_t *a = step.row(1), *b = step.row(2), *c = step.row(3), *table = step.row(4);
  for_lanes(step.mask, [&](int i) {
    to[i] = looked_up(uint32_t(a[i]), uint32_t(b[i]), uint32_t(c[i]), uint32_t(table[i]));
  });
}

void funnel_shift(const Step& step) {
  const bool wraps = step.in.modifier<ShiftCount>(Group::shift_count) == ShiftCount::wrap;
  const bool left = step.in.modifier<Side>(Group::side) == Side::left;
  map_ternary<uint32_t>(step, [=](uint32_t a, uint32_t b, uint32_t c) {
    const uint32_t by = wraps ? c & 31 : std::min(c, 32u);
    const uint64_t both = uint64_t{b} << 32 | a;
    // By 32 at most: left the high word of b:a << by, right the low word of b:a >> by.
    return static_cast<uint32_t>(left ? both >> (32 - by) : both >> by);
  });
}

template <typename T>
T reversed(T value) {
  T result = 0;
  for (size_t i = 0; i < 8 * sizeof(T); ++i) result = T(result << 1 | (value >> i & 1));
  return result;
}

template <typename T>
void execute(const Step& step) {
  using Unsigned = std::make_unsigned_t<T>;
  switch (step.in.op) {
    case Op::bit_and:
      return map_binary<T>(step, [](T a, T b) { return T(a & b); });
    case Op::bit_or:
      return map_binary<T>(step, [](T a, T b) { return T(a | b); });
    case Op::bit_xor:
      return map_binary<T>(step, [](T a, T b) { return T(a ^ b); });
    case Op::bit_not:
      return map_unary<T>(step, [](T a) { return T(~a); });
    case Op::shl:
    case Op::shr:
      return shift<T>(step);
    case Op::bfe:
      return extract<T>(step);
    case Op::bfi:
      return insert<Unsigned>(step);
    case Op::prmt:
      return map_ternary<uint32_t>(step, permuted);
    case Op::lop3:
      return look_up(step);
    case Op::shf:
      return funnel_shift(step);
    case Op::popc:
      return map_unary<Unsigned>(step, [](Unsigned a) { return Unsigned(std::popcount(a)); });
    case Op::clz:
      return map_unary<Unsigned>(step, [](Unsigned a) { return Unsigned(std::countl_zero(a)); });
    case Op::brev:
      return map_unary<Unsigned>(step, reversed<Unsigned>);
    default:
      trouble("not an operation on bits");
  }
}

}  // namespace

void execute_bits(const Step& step) {
  if (step.in.type() == Type::pred) {
    if (step.in.op == Op::bit_not) {
      return map_unary<uint8_t>(step, [](uint8_t a) { return uint8_t(a ^ 1); });
    }
    return execute<uint8_t>(step);
  }
  with_integer(step.in.type(), [&](auto zero) { execute<decltype(zero)>(step); });
}

}  // namespace gatefold::ptx
