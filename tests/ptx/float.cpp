#include <cmath>

#include "tests/ptx/lanes.h"
#include "tests/ptx/rounding.h"

namespace gatefold::ptx {
namespace {

template <typename T>
T flushed_if(bool flushes, T value) {
  if constexpr (std::is_same_v<T, float>) {
    return flushes ? flushed(value) : value;
  } else {
    return value;
  }
}

/// What every result passes through: flush, saturate to [0, 1] with NaN as 0, one NaN.
template <typename T>
T finished(const Instruction& in, T value) {
  value = flushed_if(in.flushes(), value);
  if (!in.has(Group::saturate)) return canonical(value);
  return value > 0 ? std::fmin(value, T{1}) : T{0};
}

/// a * b + c of f32, rounded once in a direction that the CPU isn't set to.
float directed(float a, float b, float c, Round round) {
  const double product = static_cast<double>(a) * b, sum = odd_sum(product, c);
  if (sum == 0 && round == Round::down && std::signbit(product) != std::signbit(c)) return -0.0f;
  return value_as<float>(encoded(sum, format_of(Type::f32), round));
}

bool is_directed(const Instruction& in) { return in.round() > Round::nearest_even; }

float product_of(const Instruction& in, float a, float b) {
  if (!is_directed(in)) return a * b;
  return value_as<float>(encoded(static_cast<double>(a) * b, format_of(Type::f32), in.round()));
}
double product_of(const Instruction&, double a, double b) { return a * b; }

float sum_of(const Instruction& in, float a, float b) {
  return is_directed(in) ? directed(a, 1, b, in.round()) : a + b;
}
double sum_of(const Instruction&, double a, double b) { return a + b; }

float fused(const Instruction& in, float a, float b, float c) {
  return is_directed(in) ? directed(a, b, c, in.round()) : std::fma(a, b, c);
}
double fused(const Instruction&, double a, double b, double c) { return std::fma(a, b, c); }

template <typename T>
T quotient(const Instruction& in, T a, T b) {
  const bool approximate = in.modifier<Accuracy>(Group::accuracy) == Accuracy::approximate;
  // div.approx promises nothing but 0 for huge divisors.
  if (approximate && std::fabs(b) > T(0x1p126) && std::isfinite(b)) {
    return std::isinf(a) ? a - a : std::copysign(T{0}, a) * std::copysign(T{1}, b);
  }
  return a / b;
}

template <typename T, typename F>
void unary(const Step& step, F&& f) {
  const bool flushes = step.in.flushes();
  map_unary<T>(step, [&](T a) { return finished(step.in, f(flushed_if(flushes, a))); });
}
template <typename T, typename F>
void binary(const Step& step, F&& f) {
  const bool flushes = step.in.flushes();
  map_binary<T>(step, [&](T a, T b) {
    return finished(step.in, f(flushed_if(flushes, a), flushed_if(flushes, b)));
  });
}

template <typename T>
void fuse(const Step& step) {
  const bool flushes = step.in.flushes();
  map_ternary<T>(step, [&](T a, T b, T c) {
    return finished(step.in, fused(step.in, flushed_if(flushes, a), flushed_if(flushes, b),
                                   flushed_if(flushes, c)));
  });
}

template <typename T>
void execute(const Step& step) {
  const Instruction& in = step.in;
  const bool propagates = in.has(Group::propagate_nan);
  switch (in.op) {
    case Op::add:
      return binary<T>(step, [&](T a, T b) { return sum_of(in, a, b); });
    case Op::sub:
      return binary<T>(step, [&](T a, T b) { return sum_of(in, a, -b); });
    case Op::mul:
      return binary<T>(step, [&](T a, T b) { return product_of(in, a, b); });
    case Op::mad:
    case Op::fma:
      return fuse<T>(step);
    case Op::div:
      return binary<T>(step, [&](T a, T b) { return quotient(in, a, b); });
    case Op::neg:
      return unary<T>(step, [](T a) { return -a; });
    case Op::abs:
      return unary<T>(step, [](T a) { return std::fabs(a); });
    case Op::min:
      return binary<T>(step, [&](T a, T b) { return static_cast<T>(smaller(a, b, propagates)); });
    case Op::max:
      return binary<T>(step,
                       [&](T a, T b) { return static_cast<T>(-smaller(-a, -b, propagates)); });
    case Op::copysign:
      return map_binary<T>(step, [](T sign, T size) { return std::copysign(size, sign); });
    default:
      trouble("not an operation of floats");
  }
}

}  // namespace

void execute_float(const Step& step) {
  return step.in.type() == Type::f64 ? execute<double>(step) : execute<float>(step);
}

}  // namespace gatefold::ptx
