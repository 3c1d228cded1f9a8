#pragma once

#include "spec/variant.h"

namespace gatefold {

/// The variant's activation in f64; limits at ±inf as in the numerics contract, NaN stays NaN.
double reference_activation(const Variant& variant, double z);

/// A bound of |activation'| near z.
double activation_slope(const Variant& variant, double z);

/// One hidden value from its gate (ignored by dense variants) and up projection.
double reference_hidden(const Variant& variant, double gate, double up);

}  // namespace gatefold
