#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gatefold {

/// One entry of the JSON header of a safetensors file, as written there: neither the dtype nor the
/// offsets have been compared with anything yet.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<uint64_t> data_offsets;  ///< begin, end
};

/// Checks the grammar: one JSON object of distinct names, each with exactly dtype, shape and
/// data_offsets; `__metadata__` maps strings to strings. `file` begins every error.
std::vector<SafetensorsEntry> parse_safetensors_header(const std::string& file,
                                                       std::string_view json);

}  // namespace gatefold
