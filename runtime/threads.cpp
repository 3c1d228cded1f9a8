#include "runtime/threads.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "runtime/cgroup.h"
#include "runtime/status.h"

namespace gatefold {
namespace {

CpuMask g_mask_at_load;

[[gnu::constructor]] void remember_mask() { g_mask_at_load = affinity_of(getpid()); }

}  // namespace

int CpuMask::count() const {
  int cpus = 0;
  for (unsigned long word : words) cpus += std::popcount(word);
  return cpus;
}

std::vector<int> CpuMask::cpus() const {
  constexpr int kBits = sizeof(words[0]) * CHAR_BIT;
  std::vector<int> cpus;
  for (int cpu = 0; cpu < static_cast<int>(sizeof words) * CHAR_BIT; ++cpu) {
    if (words[cpu / kBits] >> (cpu % kBits) & 1) cpus.push_back(cpu);
  }
  return cpus;
}

CpuMask affinity_of(pid_t thread) {
  CpuMask mask;
  if (sched_getaffinity(thread, sizeof mask.words, reinterpret_cast<cpu_set_t*>(mask.words)) != 0)
    return {};
  return mask;
}

void set_own_affinity(const CpuMask& mask) {
  // A refusal leaves the thread where it is, which is right too.
  if (mask.count() > 0)
    sched_setaffinity(0, sizeof mask.words, reinterpret_cast<const cpu_set_t*>(mask.words));
}

CpuMask process_cpus() {
  const CpuMask now = affinity_of(getpid());
  return now.count() > 1 || g_mask_at_load.count() == 0 ? now : g_mask_at_load;
}

std::optional<int> parse_thread_count(const char* text) {
  int value = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, error] = std::from_chars(text, end, value);
  if (error != std::errc() || stop != end || value < 1 || value > kMaxThreads) return {};
  return value;
}

gf_status resolve_threads(int wanted, int* threads) {
  if (wanted < 0 || wanted > kMaxThreads) {
    return failed(GF_INVALID_ARGUMENT, "threads: %d, wanted 0 (automatic) to %d", wanted,
                  kMaxThreads);
  }
  *threads = wanted;
  if (wanted > 0) return GF_OK;
  const char* variable = std::getenv("GATEFOLD_THREADS");
  if (!variable || !*variable) {
    *threads = gf_default_threads();
    return GF_OK;
  }
  const std::optional<int> value = parse_thread_count(variable);
  if (!value) {
    return failed(GF_INVALID_ARGUMENT, "GATEFOLD_THREADS: '%s', wanted a number from 1 to %d",
                  variable, kMaxThreads);
  }
  *threads = *value;
  return GF_OK;
}

}  // namespace gatefold

int gf_default_threads(void) {
  using namespace gatefold;
  const int cpus = std::clamp(process_cpus().count(), 1, kMaxThreads);
  try {
    return std::clamp(cgroup_cpus().value_or(cpus), 1, cpus);
  } catch (...) {
    return cpus;
  }
}
