#pragma once

#include <string>
#include <vector>

#include "spec/ffn_spec.h"
#include "tuning/gpu_resources.h"

namespace gatefold::test {

/// A kernel of a CUDA target with the default packing and point.
KernelSpec cuda_kernel(const FfnSpec& ffn, Target target, int64_t rows);

/// The PTX that a kernel's object file brings along.
std::string ptx_of(const KernelSpec& kernel);

/// What ptxas says of a PTX text.
struct Assembled {
  bool accepted = false;
  std::string messages;
  std::vector<EntryResources> functions;
};

/// `chip`: "sm_80".
Assembled assembled(const std::string& ptx, const std::string& chip);

}  // namespace gatefold::test
