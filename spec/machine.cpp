#include "spec/machine.h"

#include "spec/names.h"

namespace gatefold {

// Cache sizes from the vendors' optimisation manuals; l3 is one core complex's or a modest slice.
const std::vector<CpuProfile>& all_cpu_profiles() {
  static const std::vector<CpuProfile> profiles = {
      {"generic", 32 << 10, 512 << 10, 16 << 20},      {"zen3", 32 << 10, 512 << 10, 32 << 20},
      {"zen4", 32 << 10, 1 << 20, 32 << 20},           {"zen5", 48 << 10, 1 << 20, 32 << 20},
      {"skylake-x", 32 << 10, 1 << 20, 16 << 20},      {"icelake", 48 << 10, 1280 << 10, 24 << 20},
      {"sapphirerapids", 48 << 10, 2 << 20, 32 << 20},
  };
  return profiles;
}

const CpuProfile& cpu_profile_named(std::string_view name) {
  return find_named(all_cpu_profiles(), name, "CPU profile");
}

}  // namespace gatefold
