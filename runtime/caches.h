#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace gatefold {

/// One subleaf of CPUID leaf 4 (Intel) or 0x8000001d (AMD); both have the same layout.
struct CacheLeaf {
  uint32_t eax = 0;
  uint32_t ebx = 0;
  uint32_t ecx = 0;
};

/// One data or unified cache as a core sees it.
struct Cache {
  int level = 0;
  int64_t bytes = 0;
  int ways = 0;
  int line_bytes = 0;
  int shared_by = 0;  ///< most logical CPUs that can share it
};

/// The data and unified caches among the subleaves; ends at the first empty one.
std::vector<Cache> decode_caches(const std::vector<CacheLeaf>& leaves);

/// The same as the kernel lists them in a CPU's folder (/sys/devices/system/cpu/cpu0); empty where
/// it does not know them, which on arm64 is the firmware's choice.
std::vector<Cache> listed_caches(const std::filesystem::path& cpu_folder);

/// Of this machine, from CPUID; where that says nothing, as is so on arm64, what is listed of the
/// CPU `cpu`, and failing that from sysconf.
std::vector<Cache> read_caches(int cpu = 0);

}  // namespace gatefold
