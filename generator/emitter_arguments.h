#pragma once

#include <string>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold {

/// The flags of an emitter (emit_command.h) that describe one kernel: all but the program, the
/// files to write and what one emitter alone knows.
std::vector<std::string> emitter_arguments(const KernelSpec& kernel, const std::string& symbol);

}  // namespace gatefold
