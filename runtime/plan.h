#pragma once

#include <vector>

#include "runtime/ffn.h"
#include "runtime/library.h"

namespace gatefold {

/// All of a block that its weights are not needed for: checks the description and the options and
/// fills in sizes, target, threads, packing and layouts.
gf_status plan_block(const gf_library& library, const gf_ffn_desc& desc, const gf_options* options,
                     gf_ffn& ffn, std::vector<BucketChoice>* choices);

/// Words of one panel, in units of the kernel's word.
int64_t panel_words(const gf_kernel& kernel, const PackedLayout& layout);

}  // namespace gatefold
