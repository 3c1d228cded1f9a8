#pragma once

#include <string>

namespace gatefold {

/// The C source of what the host code of Halide's CUDA kernels calls: functions of the library that
/// pass launches and memory on to the gf_device_hooks of the call. To stand in one file with the
/// services that all kernels call (table_source.cpp).
std::string device_services();

}  // namespace gatefold
