#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gatefold {

enum class Target { x86_avx2, x86_avx512, x86_avx512_bf16 };

/// How a kernel multiplies bf16 weights: widened to f32, or in pairs by a dot instruction.
enum class Bf16Path { widen, dot };

struct TargetInfo {
  std::string name;
  Target target;
  int vector_lanes;      ///< f32 lanes of one register
  int vector_registers;  ///< architectural vector registers
  Bf16Path bf16;
  /// Halide 21 closes the feature chain only inside its code generator, so it is spelled out here.
  std::string halide;
};

/// Ordered from the lowest to the highest: a CPU that runs one runs all before it.
const std::vector<TargetInfo>& all_targets();
const TargetInfo& info(Target target);
const TargetInfo& target_named(std::string_view name);

}  // namespace gatefold
