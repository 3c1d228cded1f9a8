#pragma once

#include <cstdint>

#include "spec/dtype.h"

namespace gatefold {

// The one place of tolerances. Unit roundoffs: u32 = 2^-24, u16 = 2^-8 (bf16 has 8 bits).
//
// Sums in f32. The rounding errors of a sum of n products walk at random: each addition errs by
// about 0.4 u32 of the partial sum, and the partial sums grow like sqrt(i) (mixed signs) or i
// (equal signs); either way the error is about 0.3 u32 sqrt(n) of the result's size, for each of
// the two sums on the way from x to y (measured: 3.0e-6 at 4096x11008, 8.7e-7 at 512x1365, with one
// accumulator for all of k). A third more is allowed. An activation adds up to 8 u32 (its stated
// bound of 4 ulp, where an ulp is up to 2 u32).
//   sums = u32 (8 + 0.4 (sqrt(d_model) + sqrt(d_ff))): 1.9e-6 at 512x1365, 4.5e-6 at 4096x11008
//
// Rounding to bf16. y is rounded once: at most u16 of |y|, on average 0.4 u16. Where the down
// projection multiplies in bf16 each hidden value is rounded once too; the two are independent and
// together about 0.6 u16, so one u16 bounds the norms in both cases.
//   bf16 = sums + u16, at most 4e-3
//   (below kRelativeFrom with a bf16 hidden layer: 2 u16, as a lone hidden value may be rounded by
//   u16; of f16 so too)
//
// Rounding to f16 (unit roundoff half = 2^-11): of y, and of the hidden layer where tensor cores
// multiply it; as for bf16 one half bounds both. Values below 2^-14 err by at most 2^-25.
//   f16 = sums + half, at most 1e-3
//
// Sums in f16. At most kMostProductsInF16 products are added up in f16, the blocks of them in f32.
// The same walk, of the length of a block, for each of the two sums; the hidden layer is rounded to
// f16 once, as y is.
//   f16 sums = sums + half (0.4 (sqrt(block of d_model) + sqrt(block of d_ff)) + 2): 7.2e-3 from
//   256 x 256 on
//
// Below kRelativeFrom there are too few terms for averages (the only hidden value of d_ff = 1 may
// be what is left of a gate that cancels): the norms are held to the largest tolerance, each output
// to its own.
struct Tolerance {
  double rel_l2 = 0;  ///< bounds ||y - r|| / ||r||, for sizes from kRelativeFrom on
  double scaled = 0;  ///< bounds ||y - r|| / || |h| |W_down|^T + |b| + |residual| ||, any size
  // One output alone: |y - r| <= output |r| + least + hidden spread + sums (scale + drift).
  double output = 0;
  double least = 0;
  double hidden = 0;
  double sums = 0;
};

/// `dtype`: of y. `hidden`: what the hidden layer is rounded to (hidden_dtype() of
/// spec/ffn_spec.h). `sums`: f32, or f16 where all is.
Tolerance tolerance(DType dtype, DType hidden, int64_t d_model, int64_t d_ff,
                    DType sums = DType::f32);

/// Of an implementation that rounds after each of its steps (gate, up, activation, product, y), as
/// unfused frameworks do: four independent roundings of a hidden value count twice one of them.
Tolerance tolerance_of_rounded_steps(DType dtype, int64_t d_model, int64_t d_ff);

/// Below this size rel_l2 says little: a row's few terms may cancel by chance.
inline constexpr int64_t kRelativeFrom = 32;

}  // namespace gatefold
