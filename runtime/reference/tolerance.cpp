#include "runtime/reference/tolerance.h"

#include <algorithm>
#include <cmath>

namespace gatefold {
namespace {

constexpr double kU32 = 0x1p-24;
constexpr double kU16 = 0x1p-8;
constexpr double kHalf = 0x1p-11;

constexpr double kLargestF32 = 2e-6;
constexpr double kLargestBf16 = 4e-3;
constexpr double kLargestF16 = 1e-3;
constexpr double kLeastF16 = 0x1p-25;

// Independent roundings of d_ff products have a deviation of 0.4 u16 of their spread; one output in
// 1e9 lies beyond six deviations.
constexpr double kHiddenSpread = 6 * 0.4 * kU16;

// One output's sums may err more than the average over all that the norms see.
constexpr double kSingleOutput = 4;

double sums_in_f32(int64_t d_model, int64_t d_ff) {
  const double walk =
      std::sqrt(static_cast<double>(d_model)) + std::sqrt(static_cast<double>(d_ff));
  return kU32 * (8 + 0.4 * walk);
}

double rounding_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return 0;
    case DType::bf16:
      return kU16;
    case DType::f16:
      return kHalf;
  }
  return 0;
}

/// Of the norms of few values: each rounding counts in full, and the one of y comes on top.
double largest(DType dtype, DType hidden) {
  if (hidden == DType::bf16) return 2 * kU16;
  switch (dtype) {
    case DType::f32:
      return kLargestF32;
    case DType::bf16:
      return kLargestBf16;
    case DType::f16:
      return kLargestF16;
  }
  return 0;
}

/// Of the norms of many values.
double usual(DType dtype, double sums) {
  const double all = sums + rounding_of(dtype);
  return dtype == DType::f32 ? all : std::min(largest(dtype, DType::f32), all);
}

}  // namespace

Tolerance tolerance(DType dtype, DType hidden, int64_t d_model, int64_t d_ff) {
  const double sums = sums_in_f32(d_model, d_ff);
  const bool few = std::min(d_model, d_ff) < kRelativeFrom;
  const double all = few ? largest(dtype, hidden) : usual(dtype, sums);
  Tolerance t;
  t.rel_l2 = all;
  t.scaled = all;
  t.output = rounding_of(dtype);
  t.least = dtype == DType::f16 ? kLeastF16 : 0;
  // Of few products the sum of the bounds is less than six deviations.
  const double of_few = std::sqrt(static_cast<double>(d_ff)) * kU16;
  t.hidden = hidden == DType::f32 ? 0 : std::min(kHiddenSpread, of_few);
  t.sums = kSingleOutput * sums;
  return t;
}

Tolerance tolerance_of_rounded_steps(DType dtype, int64_t d_model, int64_t d_ff) {
  Tolerance t = tolerance(dtype, DType::f32, d_model, d_ff);
  if (dtype == DType::f32) return t;
  t.rel_l2 *= 2;
  t.scaled *= 2;
  t.hidden = 2 * kHiddenSpread * rounding_of(dtype) / kU16;
  return t;
}

}  // namespace gatefold
