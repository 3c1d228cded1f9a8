#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "tuning/gpu_resources.h"

namespace gatefold {

/// NVIDIA's assembler: what `wanted` names (a usage error naming --ptxas if there is none), else
/// $GATEFOLD_PTXAS, else on the PATH, in $CUDA_HOME, $CUDA_PATH or where CUDA toolkits are; empty
/// without any, and with "none".
std::string find_ptxas(const std::string& wanted = "");

struct AssemblingOptions {
  std::filesystem::path emitter;  ///< gatefold-emit; gatefold-emit-mlir stands beside it
  std::string ptxas;
  int capability = 80;  ///< of the device that is assembled for
  int jobs = 2;
  double timeout_s = 120;  ///< of each process
  const std::atomic<bool>* stop = nullptr;
};

/// Generates the PTX of points and has it assembled, several at once. Points of tensor cores have
/// neither entries nor a failure where their generator was not built.
ResourceReader read_by_assembling(const AssemblingOptions& options);

}  // namespace gatefold
