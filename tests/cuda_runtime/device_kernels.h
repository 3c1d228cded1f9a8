#pragma once

#include <string>

#include "tests/cuda_runtime/device_block.h"

namespace gatefold::test {

/// What both entries take; a field of its own for each parameter of the module's text.
struct KernelArguments {
  uint64_t x, gate, up, down, gate_bias, up_bias, down_bias, residual, hidden, y;
  uint32_t rows, d_ff, x_stride, residual_stride, y_stride;
};

/// A module with the two entries.
std::string two_entries(const char* version = "8.0", const char* target = "sm_80");

/// What the entries do, in C++, told to the fake driver.
void set_kernels(const DeviceBlock& block);

}  // namespace gatefold::test
