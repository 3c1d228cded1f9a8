#include "tests/ptx/fragments.h"
#include "tests/ptx/lanes.h"
#include "tests/ptx/rounding.h"

namespace gatefold::ptx {
namespace {

constexpr int kRows = 16, kColumns = 8, kMostDeep = 16;

struct Matrices {
  // Products of 16-bit floats are exact in f64, and so nearly is a sum of 16.
  double a[kRows][kMostDeep], b[kMostDeep][kColumns], c[kRows][kColumns];
};

double half_of(const Step& step, int operand, int lane, int i) {
  const uint64_t bits = step.row(operand, i / 2)[lane];
  return half_value(step.in.types[static_cast<size_t>(operand)],
                    static_cast<uint16_t>(bits >> (i % 2 * 16)));
}

void collect(const Step& step, int deep, Matrices& m) {
  const bool wide_sums = step.in.type() == Type::f32;
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int i = 0; i < deep / 2; ++i) {
      const auto [row, k] = fragment_a(lane, i);
      m.a[row][k] = half_of(step, 1, lane, i);
    }
    for (int i = 0; i < deep / 4; ++i) {
      const auto [k, column] = fragment_b(lane, i);
      m.b[k][column] = half_of(step, 2, lane, i);
    }
    for (int i = 0; i < 4; ++i) {
      const auto [row, column] = fragment_c(lane, i);
      m.c[row][column] =
          wide_sums ? value_as<float>(step.row(3, i)[lane]) : half_of(step, 3, lane, i);
    }
  }
}

void multiply(int deep, Matrices& m) {
  for (int row = 0; row < kRows; ++row) {
    for (int k = 0; k < deep; ++k) {
      for (int column = 0; column < kColumns; ++column) {
        m.c[row][column] += m.a[row][k] * m.b[k][column];
      }
    }
  }
}

void hand_out(const Step& step, const Matrices& m) {
  const bool wide_sums = step.in.type() == Type::f32;
  for (int lane = 0; lane < kLanes; ++lane) {
    double sums[4];
    for (int i = 0; i < 4; ++i) {
      const auto [row, column] = fragment_c(lane, i);
      sums[i] = m.c[row][column];
    }
    for (int i = 0; i < 4; ++i) {
      if (wide_sums) {
        step.row(0, i)[lane] = bits_as(canonical(static_cast<float>(sums[i])));
      } else if (i % 2 == 0) {
        step.row(0, i / 2)[lane] =
            uint64_t{half_bits(Type::f16, sums[i + 1])} << 16 | half_bits(Type::f16, sums[i]);
      }
    }
  }
}

}  // namespace

void execute_matrix_product(const Step& step) {
  const auto shape = step.in.modifier<MatrixShape>(Group::matrix_shape);
  const int deep = shape == MatrixShape::m16n8k16 ? 16 : 8;
  Matrices matrices;
  collect(step, deep, matrices);
  multiply(deep, matrices);
  hand_out(step, matrices);
}

}  // namespace gatefold::ptx
