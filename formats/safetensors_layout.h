#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/safetensors_header.h"

namespace gatefold {

/// Checks each entry's dtype, shape and offsets against each other and against the data section of
/// `data_bytes`, and that the entries cover it without overlap or gap. Sorts the entries by offset.
/// `file` begins every error.
void check_safetensors_layout(const std::string& file, std::vector<SafetensorsEntry>& entries,
                              uint64_t data_bytes);

}  // namespace gatefold
