#include "tests/mlir/scalar_machine.h"

#include <bit>
#include <cmath>
#include <limits>

namespace gatefold::test {
namespace {

float real(uint64_t bits) { return std::bit_cast<float>(uint32_t(bits)); }
uint64_t bits(float value) { return std::bit_cast<uint32_t>(value); }

int64_t with_sign(uint64_t value, int width) {
  return int64_t(value << (64 - width)) >> (64 - width);
}

int32_t towards_zero(float x) {
  if (std::isnan(x)) return 0;
  if (x >= 0x1p31f) return std::numeric_limits<int32_t>::max();
  if (x < -0x1p31f) return std::numeric_limits<int32_t>::min();
  return int32_t(x);
}

uint64_t of_reals(ScalarOp op, float a, float b) {
  switch (op) {
    case ScalarOp::add:
      return bits(a + b);
    case ScalarOp::subtract:
      return bits(a - b);
    case ScalarOp::multiply:
      return bits(a * b);
    case ScalarOp::divide:
      return bits(a / b);
    case ScalarOp::equal:
      return a == b;
    case ScalarOp::not_equal:
      return a != b;
    case ScalarOp::less:
      return a < b;
    case ScalarOp::less_equal:
      return a <= b;
    case ScalarOp::to_signed:
      return uint32_t(towards_zero(a));
    case ScalarOp::absolute:
      return bits(std::fabs(a));
    case ScalarOp::floor:
      return bits(std::floor(a));
    case ScalarOp::ceil:
      return bits(std::ceil(a));
    default:
      return bits(std::sqrt(a));
  }
}

uint64_t of_integers(const ScalarInstruction& i, uint64_t a, uint64_t b, int width) {
  switch (i.op) {
    case ScalarOp::add:
      return a + b;
    case ScalarOp::subtract:
      return a - b;
    case ScalarOp::multiply:
      return a * b;
    case ScalarOp::bit_and:
      return a & b;
    case ScalarOp::bit_or:
      return a | b;
    case ScalarOp::bit_xor:
      return a ^ b;
    case ScalarOp::shift_left:
      return a << b;
    case ScalarOp::shift_right:
      return a >> b;
    case ScalarOp::shift_right_signed:
      return uint64_t(with_sign(a, width) >> b);
    case ScalarOp::equal:
      return a == b;
    case ScalarOp::not_equal:
      return a != b;
    case ScalarOp::less:
      return with_sign(a, width) < with_sign(b, width);
    case ScalarOp::less_equal:
      return with_sign(a, width) <= with_sign(b, width);
    case ScalarOp::less_unsigned:
      return a < b;
    case ScalarOp::less_equal_unsigned:
      return a <= b;
    case ScalarOp::from_signed:
      return bits(float(with_sign(a, width)));
    case ScalarOp::from_unsigned:
      return bits(float(a));
    case ScalarOp::sign_extend:
      return uint64_t(with_sign(a, width));
    default:  // truncate, zero_extend
      return a;
  }
}

}  // namespace

float evaluate(const ScalarProgram& program, const std::vector<float>& arguments) {
  std::vector<uint64_t> values;
  const auto& code = program.instructions();
  const auto operand = [&](const ScalarInstruction& i, size_t n) {
    return i.operands[n] < 0 ? 0 : values.at(size_t(i.operands[n]));
  };
  for (const ScalarInstruction& i : code) {
    const uint64_t a = operand(i, 0), b = operand(i, 1);
    uint64_t value = 0;
    if (i.op == ScalarOp::argument) {
      value = bits(arguments.at(i.bits));
    } else if (i.op == ScalarOp::constant) {
      value = i.bits;
    } else if (i.op == ScalarOp::reinterpret) {
      value = a;
    } else if (i.op == ScalarOp::select) {
      value = a ? b : operand(i, 2);
    } else {
      const ScalarType from = code.at(size_t(i.operands[0])).type;
      value = from.real ? of_reals(i.op, real(a), real(b)) : of_integers(i, a, b, from.bits);
    }
    values.push_back(i.type.bits == 64 ? value : value & ((uint64_t{1} << i.type.bits) - 1));
  }
  return real(values.at(size_t(program.result)));
}

}  // namespace gatefold::test
