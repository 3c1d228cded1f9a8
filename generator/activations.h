#pragma once

#include <Halide.h>

#include "spec/variant.h"

namespace gatefold {

/// act(z) of the variant as a strict f32 expression. NaN stays NaN; the limits at ±inf are those of
/// the formula: silu(-inf) = gelu(-inf) = 0, silu(inf) = inf.
Halide::Expr activate(const Variant& variant, const Halide::Expr& z);

/// The hidden value of a dense block from its up projection.
Halide::Expr dense_hidden(const Variant& variant, const Halide::Expr& up);

/// The hidden value of a gated block: act(min(gate, limit)) * (clamp(up) + up_offset).
Halide::Expr gated_hidden(const Variant& variant, const Halide::Expr& gate, const Halide::Expr& up);

}  // namespace gatefold
