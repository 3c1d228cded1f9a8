#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gatefold {

/// The feed-forward block of a published model, as its checkpoints hold it.
struct Preset {
  std::string name;
  std::string variant;
  int64_t d_model = 0;
  int64_t d_ff = 0;
  bool bias = false;
  int layers = 0;      ///< layers with this block; encoder plus decoder where there are both
  std::string source;  ///< where the sizes are from, and what is special about the tensors
};

const std::vector<Preset>& all_presets();

/// Throws a usage error with the nearest name when there is no such preset.
const Preset& preset_named(std::string_view name);

}  // namespace gatefold
