#pragma once

#include <string>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold {

/// "384x1536", both numbers; `flag` names it in the error.
Shape parse_shape(const std::string& text, const char* flag);
/// "1x37,384x1536"; usage errors name --shapes.
std::vector<Shape> parse_shapes(const std::string& list);

/// The block with all sizes fixed: those that it leaves open are taken from what --shape says,
/// which must agree with the others and is needed only then.
FfnSpec with_shape(FfnSpec ffn, const std::string& shape);

}  // namespace gatefold
