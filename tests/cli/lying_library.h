#pragma once

#include <string>

#include "tests/formats/files.h"

namespace gatefold::test {

/// A manifest with its field "variant": "relu" changed to silu.
std::string as_silu(std::string manifest);

/// A manifest that does not know its shared object's bytes, as of before they did.
std::string without_hash(std::string manifest);

/// cli_relu_any, but table and manifest claim another activation than its kernels have: the
/// manifest, in `folder`.
std::string lying_library(const TempFolder& folder);

}  // namespace gatefold::test
