#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gatefold {

/// What a .npy file says about itself: a Python dict literal of exactly these three.
struct NpyHeader {
  std::string descr;  ///< e.g. "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// `file` begins every error.
NpyHeader parse_npy_header(const std::string& file, std::string_view text);

}  // namespace gatefold
