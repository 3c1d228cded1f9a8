#include <cmath>

#include "tests/ptx/lanes.h"
#include "tests/ptx/rounding.h"

namespace gatefold::ptx {
namespace {

/// For integers the unsigned comparisons are those of an unsigned T.
template <typename T>
bool holds(Compare compare, T a, T b) {
  const bool unordered = a != a || b != b;
  switch (compare) {
    case Compare::eq:
      return a == b;
    case Compare::ne:
      return a != b && !unordered;
    case Compare::lt:
    case Compare::lo:
      return a < b;
    case Compare::le:
    case Compare::ls:
      return a <= b;
    case Compare::gt:
    case Compare::hi:
      return a > b;
    case Compare::ge:
    case Compare::hs:
      return a >= b;
    case Compare::equ:
      return a == b || unordered;
    case Compare::neu:
      return a != b || unordered;
    case Compare::ltu:
      return a < b || unordered;
    case Compare::leu:
      return a <= b || unordered;
    case Compare::gtu:
      return a > b || unordered;
    case Compare::geu:
      return a >= b || unordered;
    case Compare::num:
      return !unordered;
    case Compare::nan:
      return unordered;
    case Compare::none:
      break;
  }
  trouble("no comparison is given");
}

bool combined(Combine combine, bool compared, bool other) {
  switch (combine) {
    case Combine::none:
      return compared;
    case Combine::with_and:
      return compared && other;
    case Combine::with_or:
      return compared || other;
    case Combine::with_xor:
      return compared != other;
  }
  trouble("no combination is given");
}

double number_of(Type type, bool flushes, uint64_t bits) {
  if (type == Type::f64) return value_as<double>(bits);
  if (type == Type::f32) return flushes ? flushed(value_as<float>(bits)) : value_as<float>(bits);
  const bool subnormal = (bits & format_of(type).infinity()) == 0;
  return flushes && subnormal ? 0 : half_value(type, static_cast<uint16_t>(bits));
}

/// A bit for each lane in which operands 1 and 2 compare as the instruction says.
uint32_t compared(const Step& step) {
  const Instruction& in = step.in;
  const Type type = in.types[in.types_given - 1];
  const auto compare = in.modifier<Compare>(Group::compare);
  const uint64_t *a = step.row(1), *b = step.row(2);
  uint32_t result = 0;
  if (is_float(type)) {
    for_lanes(step.mask, [&](int i) {
      const double x = number_of(type, in.flushes(), a[i]), y = number_of(type, in.flushes(), b[i]);
      result |= uint32_t{holds(compare, x, y)} << i;
    });
  } else {
    with_integer(type, [&](auto zero) {
      using T = decltype(zero);
      for_lanes(step.mask, [&](int i) {
        result |= uint32_t{holds(compare, value_as<T>(a[i]), value_as<T>(b[i]))} << i;
      });
    });
  }
  return result;
}

bool other(const Step& step, int lane) {
  return step.in.operands_given == 4 &&
         ((step.row(3)[lane] & 1) != 0) != step.in.operands[3].negated;
}

void set_predicates(const Step& step) {
  const auto combine = step.in.modifier<Combine>(Group::combine);
  const uint32_t result = compared(step);
  uint64_t* to = step.row(0);
  uint64_t* inverse = step.in.operands[0].pair ? step.row(0, 1) : nullptr;
  for_lanes(step.mask, [&](int i) {
    const bool holds = (result >> i & 1) != 0, with = other(step, i);
    to[i] = combined(combine, holds, with);
    if (inverse) inverse[i] = combined(combine, !holds, with);
  });
}

void set_words(const Step& step) {
  const auto combine = step.in.modifier<Combine>(Group::combine);
  const uint32_t result = compared(step);
  const uint64_t yes = step.in.type() == Type::f32 ? bits_as(1.0f) : 0xffffffff;
  uint64_t* to = step.row(0);
  for_lanes(step.mask, [&](int i) {
    to[i] = combined(combine, (result >> i & 1) != 0, other(step, i)) ? yes : 0;
  });
}

void select(const Step& step) {
  uint64_t* to = step.row(0);
  const uint64_t *a = step.row(1), *b = step.row(2), *condition = step.row(3);
  for_lanes(step.mask, [&](int i) { to[i] = (condition[i] & 1) != 0 ? a[i] : b[i]; });
}

}  // namespace

void execute_comparison(const Step& step) {
  switch (step.in.op) {
    case Op::setp:
      return set_predicates(step);
    case Op::set:
      return set_words(step);
    case Op::selp:
      return select(step);
    default:
      trouble("not a comparison");
  }
}

}  // namespace gatefold::ptx
