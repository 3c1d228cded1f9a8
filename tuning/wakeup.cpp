#include "tuning/wakeup.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/futex.h"
#include "runtime/pool.h"
#include "tuning/race.h"

namespace gatefold {
namespace {

constexpr int kRegions = 201;
constexpr int64_t kIdleNs = 1000000;
// Far above any wake-up; a pool that was refused its threads would else wait for ever.
constexpr int64_t kPatienceNs = 100000000;
static_assert(kIdleNs > 4 * kSpinNs, "after the idle time the workers must be asleep");

/// A region in which no thread leaves before all have come.
struct Region {
  int threads;
  int64_t deadline;
  std::atomic<int> come{0};

  static int meet(void*, int, uint8_t* closure) {
    Region& region = *reinterpret_cast<Region*>(closure);
    ++region.come;
    while (region.come.load(std::memory_order_acquire) < region.threads) {
      if (now_ns() > region.deadline) return 1;
      pause_core();
    }
    return 0;
  }
};

/// Microseconds; none if not all threads came.
std::optional<double> region_us(int threads) {
  const int64_t begin = now_ns();
  Region region{threads, begin + kPatienceNs};
  const int missing = Pool::process().par_for(threads, Region::meet, nullptr, 0, threads,
                                              reinterpret_cast<uint8_t*>(&region));
  if (missing) return {};
  return static_cast<double>(now_ns() - begin) * 1e-3;
}

double median_us(int threads, int64_t idle_ns) {
  std::vector<double> times;
  for (int i = 0; i < kRegions; ++i) {
    // The region before the idle time is what the workers come from.
    if (idle_ns && !region_us(threads)) return NAN;
    if (idle_ns) std::this_thread::sleep_for(std::chrono::nanoseconds(idle_ns));
    const std::optional<double> us = region_us(threads);
    if (!us) return NAN;
    times.push_back(*us);
  }
  return median(std::move(times));
}

}  // namespace

Wakeup measure_wakeup(int threads) {
  if (threads < 2) return {threads, NAN, NAN};
  if (!region_us(threads)) return {threads, NAN, NAN};  // starts the workers
  return {threads, median_us(threads, 0), median_us(threads, kIdleNs)};
}

}  // namespace gatefold
