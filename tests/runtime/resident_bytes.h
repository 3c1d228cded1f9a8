#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace gatefold {

/// Memory of this process that is in RAM now.
inline int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  int64_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace gatefold
