#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace gatefold {

struct NpyArray {
  std::vector<int64_t> shape;
  std::vector<float> values;  ///< row-major
};

/// Reads a .npy file (versions 1.0 to 3.0) of little-endian f32 in C order and of the wanted rank;
/// anything else is an error that names what was found.
NpyArray read_npy_f32(const std::filesystem::path& path, size_t wanted_rank);

/// Writes a matrix as .npy version 1.0; the file appears whole or not at all.
void write_npy_f32(const std::filesystem::path& path, int64_t rows, int64_t cols,
                   std::span<const float> values);

}  // namespace gatefold
