#pragma once

#include <string>
#include <vector>

#include "spec/ffn_spec.h"

namespace gatefold::test {

/// A kernel of a CUDA target with the default packing and point.
KernelSpec cuda_kernel(const FfnSpec& ffn, Target target, int64_t rows);

/// The PTX that a kernel's object file brings along.
std::string ptx_of(const KernelSpec& kernel);

/// What ptxas says of one function of a PTX text.
struct Function {
  std::string name;
  int registers = 0, stack_bytes = 0, spilled_bytes = 0;
};

struct Assembled {
  bool accepted = false;
  std::string messages;
  std::vector<Function> functions;
};

/// `chip`: "sm_80".
Assembled assembled(const std::string& ptx, const std::string& chip);

}  // namespace gatefold::test
