#include "runtime/reference/tolerance.h"

#include <algorithm>
#include <cmath>

#include "spec/ffn_spec.h"

namespace gatefold {
namespace {

constexpr double kU32 = 0x1p-24;
constexpr double kU16 = 0x1p-8;
constexpr double kHalf = 0x1p-11;

constexpr double kLargestF32 = 2e-6;
constexpr double kLargestBf16 = 4e-3;
constexpr double kLargestF16 = 1e-3;
constexpr double kLeastF16 = 0x1p-25;

// Independent roundings of d_ff products have a deviation of 0.4 roundoffs of their spread; one
// output in 1e9 lies beyond six deviations.
constexpr double kDeviations = 6;

// One output's sums may err more than the average over all that the norms see.
constexpr double kSingleOutput = 4;

double sums_in_f32(int64_t d_model, int64_t d_ff) {
  const double walk =
      std::sqrt(static_cast<double>(d_model)) + std::sqrt(static_cast<double>(d_ff));
  return kU32 * (8 + 0.4 * walk);
}

/// Root of the length of a sum in f16, which ends with its block.
double walk_in_f16(int64_t length) {
  return std::sqrt(static_cast<double>(std::min<int64_t>(length, kMostProductsInF16)));
}

/// Both sums in f16 and the rounding of what stands between them.
double sums_in_f16(int64_t d_model, int64_t d_ff) {
  return kHalf * (2 + 0.4 * (walk_in_f16(d_model) + walk_in_f16(d_ff)));
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

double largest(DType dtype) {
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

/// Of the norms of few values: each rounding counts in full, and the one of y comes on top.
double of_few(DType dtype, DType hidden) {
  return std::max(largest(dtype), 2 * rounding_of(hidden));
}

double of_few_in_f16(int64_t d_model, int64_t d_ff) {
  return kHalf * (3 + walk_in_f16(d_model) + walk_in_f16(d_ff));
}

/// Of the norms of many values.
double of_many(DType dtype, double sums) {
  const double all = sums + rounding_of(dtype);
  return dtype == DType::f32 ? all : std::min(largest(dtype), all);
}

/// What sums in f16 add to the bounds of one output. Its own sum errs relative to itself where the
/// products have one sign; what the hidden values bring is independent, so that d_ff of them add up
/// like their root.
void allow_sums_in_f16(Tolerance& t, int64_t d_model, int64_t d_ff) {
  const double root = std::sqrt(static_cast<double>(d_ff));
  t.output += kDeviations * 0.3 * kHalf * walk_in_f16(d_ff);
  t.sums += kDeviations * sums_in_f16(d_model, d_ff) / root;
  t.least *= 4 + walk_in_f16(d_ff);
}

}  // namespace

Tolerance tolerance(DType dtype, DType hidden, int64_t d_model, int64_t d_ff, DType sums) {
  const double in_f32 = sums_in_f32(d_model, d_ff);
  const bool few = std::min(d_model, d_ff) < kRelativeFrom, in_f16 = sums == DType::f16;
  double all = few ? of_few(dtype, hidden) : of_many(dtype, in_f32);
  if (in_f16) {
    all = few ? of_few_in_f16(d_model, d_ff) : in_f32 + sums_in_f16(d_model, d_ff) + kHalf;
  }
  Tolerance t;
  t.rel_l2 = all;
  t.scaled = all;
  t.output = rounding_of(dtype);
  t.least = dtype == DType::f16 ? kLeastF16 : 0;
  if (hidden == DType::f16 && !in_f16) t.least += kLeastF16;
  // Of few products the sum of the bounds is less than six deviations.
  const double spread = std::min(kDeviations * 0.4, std::sqrt(static_cast<double>(d_ff)));
  t.hidden = rounding_of(hidden) * spread;
  t.sums = kSingleOutput * in_f32;
  if (in_f16) allow_sums_in_f16(t, d_model, d_ff);
  return t;
}

Tolerance tolerance_of_rounded_steps(DType dtype, int64_t d_model, int64_t d_ff) {
  Tolerance t = tolerance(dtype, DType::f32, d_model, d_ff);
  if (dtype == DType::f32) return t;
  t.rel_l2 *= 2;
  t.scaled *= 2;
  t.hidden = 2 * kDeviations * 0.4 * rounding_of(dtype);
  return t;
}

}  // namespace gatefold
