#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gatefold {

/// What the analytic default needs to know of a CPU. Sizes in bytes, of one core except l3.
struct CpuProfile {
  std::string name;
  int64_t l1d = 32 << 10;
  int64_t l2 = 512 << 10;
  int64_t l3 = 16 << 20;  ///< what one process may count on
};

/// Profiles for generating without the machine at hand (`generate --cpu NAME`).
const std::vector<CpuProfile>& all_cpu_profiles();
const CpuProfile& cpu_profile_named(std::string_view name);

}  // namespace gatefold
