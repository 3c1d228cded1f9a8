#pragma once

#include "formats/ffn_tensors.h"
#include "gatefold/gatefold.h"

namespace gatefold {

/// A weight file's tensors as the runtime takes them; they point into the file.
gf_ffn_weights file_weights(const FfnTensors& tensors, const FfnTensorNames& names);

}  // namespace gatefold
