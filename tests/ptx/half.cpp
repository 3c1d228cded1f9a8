#include <cmath>

#include "tests/ptx/lanes.h"
#include "tests/ptx/rounding.h"

namespace gatefold::ptx {
namespace {

/// A 16-bit number on its way into and out of double, in which its operations are exact or odd.
struct Half {
  const Instruction& in;
  FloatFormat format = format_of(in.type());

  uint16_t flushed(uint64_t bits) const {
    const bool subnormal = (bits & format.infinity()) == 0;
    return static_cast<uint16_t>(in.flushes() && subnormal ? bits & format.sign() : bits);
  }
  double value(uint64_t bits) const { return half_value(in.type(), flushed(bits)); }
  uint16_t bits(double value) const {
    if (in.has(Group::relu) && value < 0) value = 0;
    if (in.has(Group::saturate)) value = value > 0 ? std::fmin(value, 1.0) : 0.0;
    return flushed(encoded(value, format, Round::nearest_even));
  }
};

double result_of(const Instruction& in, double a, double b, double c) {
  const bool propagates = in.has(Group::propagate_nan);
  switch (in.op) {
    case Op::add:
      return odd_sum(a, b);
    case Op::sub:
      return odd_sum(a, -b);
    case Op::mul:
      return a * b;
    case Op::fma:
      return odd_sum(a * b, c);
    case Op::min:
      return smaller(a, b, propagates);
    case Op::max:
      return -smaller(-a, -b, propagates);
    case Op::neg:
      return -a;
    case Op::abs:
      return std::fabs(a);
    case Op::ex2:
      return std::exp2(a);
    case Op::tanh:
      return std::tanh(a);
    default:
      trouble("not an operation of 16-bit floats");
  }
}

}  // namespace

void execute_half(const Step& step) {
  const Half half{step.in};
  const int sources = step.in.operands_given - 1, parts = is_pair(step.in.type()) ? 2 : 1;
  uint64_t* to = step.row(0);
  const uint64_t* from[3];
  for (int k = 0; k < 3; ++k) from[k] = step.row(k < sources ? k + 1 : 1);
  for_lanes(step.mask, [&](int i) {
    uint64_t bits = 0;
    for (int part = 0; part < parts; ++part) {
      const int at = 16 * part;
      const double value =
          result_of(step.in, half.value(from[0][i] >> at & 0xffff),
                    half.value(from[1][i] >> at & 0xffff), half.value(from[2][i] >> at & 0xffff));
      bits |= uint64_t{half.bits(value)} << at;
    }
    to[i] = bits;
  });
}

}  // namespace gatefold::ptx
