#include <cmath>

#include "tests/ptx/lanes.h"
#include "tests/ptx/rounding.h"

namespace gatefold::ptx {
namespace {

/// The approximations of the hardware are a few units off in the last place; here they are the
/// nearest value: what a kernel makes of that must not depend on such units.
double value_of(const Instruction& in, double a) {
  switch (in.op) {
    case Op::ex2:
      return std::exp2(a);
    case Op::lg2:
      return std::log2(a);
    case Op::rcp:
      return 1 / a;
    case Op::sqrt:
      return std::sqrt(a);
    case Op::rsqrt:
      return 1 / std::sqrt(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::tanh:
      return std::tanh(a);
    default:
      trouble("not a function of floats");
  }
}

bool is_subject(const Instruction& in, Test test, double a, bool subnormal) {
  switch (test) {
    case Test::finite:
      return std::isfinite(a);
    case Test::infinite:
      return std::isinf(a);
    case Test::number:
      return !std::isnan(a);
    case Test::not_a_number:
      return std::isnan(a);
    case Test::normal:
      return std::isfinite(a) && a != 0 && !subnormal;
    case Test::subnormal:
      return subnormal;
    case Test::none:
      break;
  }
  trouble("testp.{} tests nothing", name_of(in.type()));
}

void test(const Step& step) {
  const Test test = step.in.modifier<Test>(Group::test);
  const bool single = step.in.type() == Type::f32;
  uint64_t* to = step.row(0);
  const uint64_t* a = step.row(1);
  for_lanes(step.mask, [&](int i) {
    const float narrow = value_as<float>(a[i]);
    const double value = single ? narrow : value_as<double>(a[i]);
    const bool subnormal =
        single ? narrow != 0 && flushed(narrow) == 0 : value != 0 && std::fabs(value) < 0x1p-1022;
    to[i] = is_subject(step.in, test, value, subnormal);
  });
}

}  // namespace

void execute_function(const Step& step) {
  if (step.in.op == Op::testp) return test(step);
  const bool flushes = step.in.flushes();
  if (step.in.type() == Type::f64) {
    return map_unary<double>(step, [&](double a) { return canonical(value_of(step.in, a)); });
  }
  map_unary<float>(step, [&](float a) {
    const auto value = static_cast<float>(value_of(step.in, flushes ? flushed(a) : a));
    return canonical(flushes ? flushed(value) : value);
  });
}

}  // namespace gatefold::ptx
