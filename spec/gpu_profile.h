#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gatefold {

/// What the cost model needs to know of a GPU, as its public data sheet says. What a compute
/// capability decides is in MultiprocessorLimits.
struct GpuProfile {
  std::string name;   ///< "a100-40gb"
  std::string board;  ///< "A100 SXM4 40 GB"
  int capability;     ///< 80 for 8.0
  int multiprocessors;
  double clock_hz;            ///< boost
  double memory_bytes_per_s;  ///< peak
  int64_t l2_bytes;
  double f32_flops;     ///< per second, peak
  double tensor_flops;  ///< per second, peak, of f16 and bf16 with sums in f32, without sparsity
  std::string source;   ///< the document that has these figures
};

/// Profiles for estimates without the device at hand (`tune --gpu NAME`).
const std::vector<GpuProfile>& all_gpu_profiles();
const GpuProfile& gpu_profile_named(std::string_view name);

}  // namespace gatefold
