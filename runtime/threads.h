#pragma once

#include <sched.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "gatefold/gatefold.h"

namespace gatefold {

inline constexpr int kMaxThreads = 1024;

/// A CPU set as large as any kernel's; glibc's cpu_set_t ends at 1024 CPUs.
struct CpuMask {
  unsigned long words[128] = {};
  int count() const;
  std::vector<int> cpus() const;  ///< their numbers
};

/// Mask of one thread (0: this one); empty if it cannot be read.
CpuMask affinity_of(pid_t thread);
void set_own_affinity(const CpuMask& mask);

/// The CPUs that this process may use: the main thread's mask. Where the main thread is pinned to
/// a single CPU, the mask that it had when the runtime was loaded: a pin of one thread (OpenMP's
/// binding, an event loop) is no limit of the process, `taskset` and cpusets are.
CpuMask process_cpus();

/// "1" … "1024"; none for anything else.
std::optional<int> parse_thread_count(const char* text);

/// `wanted`, else GATEFOLD_THREADS, else gf_default_threads().
gf_status resolve_threads(int wanted, int* threads);

}  // namespace gatefold
