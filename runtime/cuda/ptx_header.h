#pragma once

#include <string_view>

#include "gatefold/kernel_table.h"

namespace gatefold::cuda {

/// What a module says of itself in its first lines; "?" where it doesn't.
struct PtxHeader {
  std::string_view version = "?";  ///< of the PTX ISA, "8.0"
  std::string_view target = "?";   ///< "sm_80"
};
PtxHeader ptx_header(const gf_module& module);

/// The first CUDA version whose driver reads a PTX ISA version, as 12040; 0: not known.
int cuda_version_for(std::string_view ptx_version);

}  // namespace gatefold::cuda
