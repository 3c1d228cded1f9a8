#pragma once

#include <cstdint>
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

/// Of this machine, from CPUID; where that says nothing, from sysconf.
std::vector<Cache> read_caches();

}  // namespace gatefold
