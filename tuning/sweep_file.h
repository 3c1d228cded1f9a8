#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/dtype.h"
#include "spec/shape.h"
#include "spec/target.h"

namespace gatefold {

/// What a sweep file asks for, each list without repeats. Its keys are in docs/measuring.md.
struct SweepFile {
  std::vector<std::string> presets;   ///< blocks by name …
  std::vector<std::string> variants;  ///< … and each of these with each of the sizes
  std::vector<Shape> sizes;
  std::vector<DType> dtypes;
  std::vector<DType> act_dtypes;  ///< empty: the dtype's own
  std::vector<DType> accumulate = {DType::f32};
  std::vector<Target> targets;
  std::vector<int64_t> rows = {1, 4, 16, 64, 256};
  std::vector<int> threads;
  std::vector<bool> bias;  ///< empty: the preset's
  std::vector<bool> residual = {false};

  // Of each cell; one of the two.
  std::optional<int> trials;
  std::optional<double> budget_s;

  std::string strategy;  ///< empty: the tuner's default
  uint64_t seed = 1;
  std::string export_file;  ///< empty: none
  bool transfer = true;     ///< winners are tried in the other cells, too
};

/// Usage errors begin with file and line, then the key, what was found and what was wanted.
SweepFile parse_sweep(std::string_view text, const std::string& file);
SweepFile load_sweep(const std::filesystem::path& path);

}  // namespace gatefold
