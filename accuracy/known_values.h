#pragma once

#include <string>
#include <vector>

#include "accuracy/accuracy.h"

namespace gatefold {

/// A hidden value that was worked out by hand, or is a limit of the activation.
struct KnownValue {
  float gate, up;  ///< the projections; dense variants have no gate
  double hidden;
  double tolerance;  ///< relative; 0: just this number
};

/// Those of a variant with just these parameters.
std::vector<KnownValue> known_values(const Variant& variant);

/// Every variant, with any parameters, that has known values.
std::vector<Variant> variants_with_known_values();

/// Puts the library's known values through each kernel of a target, as the only hidden unit and as
/// one among others, in a vector and in a tail. Infinite projections come from the biases: through
/// a matrix they would meet zeros. Only f32 libraries for any shape have such cells.
std::vector<AccuracyCell> check_known_values(const LoadedLibrary& library,
                                             const std::string& target);

}  // namespace gatefold
