#pragma once

#include "cli/spec_options.h"

namespace gatefold::cli {

/// `tune --space`: what there is to search, without measuring anything.
void print_space(const Spec& spec, Target target, bool json);

}  // namespace gatefold::cli
