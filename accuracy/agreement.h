#pragma once

#include "gatefold/kernel_table.h"
#include "generator/library.h"

namespace gatefold {

/// An error that names the first thing which a manifest says otherwise than the table of its shared
/// object: the block, or one of the kernels. The table is what runs, so such a manifest is another
/// library's, and the wrong activation, say, would go unseen. `ffn`: what the table describes.
void check_agreement(const Manifest& manifest, const gf_kernel_table& table, const FfnSpec& ffn);

}  // namespace gatefold
