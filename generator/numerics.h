#pragma once

#include <Halide.h>

namespace gatefold {

/// Elementary functions on f32 as Halide expressions. All arithmetic is strict, since Halide's
/// default float may reassociate the range reductions and assumes that NaN and inf never come.
/// Error bounds are against the exact value and hold on every target; tests/numerics measures them.
/// NaN stays NaN everywhere.

/// e^(hi + lo) for hi <= 88.7, |lo| < 1: at most 2 ulp, gradual underflow, 0 below -104.
/// lo carries the rounding error of an argument that is itself computed.
Halide::Expr exp_f32(const Halide::Expr& hi, const Halide::Expr& lo = Halide::Expr());

/// 1 / (1 + e^-x): at most 3 ulp, exact 0 and 1 at the ends.
Halide::Expr sigmoid_f32(const Halide::Expr& x);

/// Standard normal distribution Phi(x) = (1 + erf(x / sqrt 2)) / 2: at most 6 ulp, tails included.
Halide::Expr normal_cdf_f32(const Halide::Expr& x);

/// erf(x): at most 4 ulp.
Halide::Expr erf_f32(const Halide::Expr& x);

/// tanh(x): at most 4 ulp.
Halide::Expr tanh_f32(const Halide::Expr& x);

/// `value`, or x itself where x is NaN: selects and float-to-int casts lose NaNs. By x's bits, so
/// that no compiler's assumption about floats removes it.
Halide::Expr keep_nan(const Halide::Expr& x, const Halide::Expr& value);

/// Nearest-even bf16 of an f32 as its 16 bits; NaN stays NaN.
Halide::Expr bf16_bits(const Halide::Expr& x);

/// The same of f16, for targets without a type for it. Subnormals are kept.
Halide::Expr f16_bits(const Halide::Expr& x);

/// The f32 of f16 bits held in a uint16.
Halide::Expr f32_from_f16_bits(const Halide::Expr& bits);

/// The f32 of bf16 bits held in a uint16.
Halide::Expr f32_from_bf16_bits(const Halide::Expr& bits);

}  // namespace gatefold
