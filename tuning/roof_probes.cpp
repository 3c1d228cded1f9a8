#include "tuning/roof_probes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLine = 64;
constexpr size_t kPrefetchAhead = 24 * kLine;

/// How far apart the streams of one pattern run, like the panels of packed weights. Streams that
/// are a power of two of many MiB apart give a sixth less (EPYC 7003: 12.9 against 15.2 GB/s).
constexpr size_t kStreamDistance = size_t{128} << 10;

// The widest registers that every CPU of the architecture's targets has. Of 16 bytes each, two
// chains of exclusive ors a stream: one would wait for the instruction's latency rather than for
// memory.
#if defined(__x86_64__)
#define GATEFOLD_READS __attribute__((target("avx2")))
constexpr size_t kVectorBytes = 32, kChains = 1;
#else
#define GATEFOLD_READS
constexpr size_t kVectorBytes = 16, kChains = 2;
#endif
typedef uint64_t Vector __attribute__((vector_size(kVectorBytes), may_alias));

template <int streams, bool prefetch>
GATEFOLD_READS uint64_t read_streams(const uint8_t* base, size_t bytes) {
  Vector sums[streams][kChains] = {};
  for (size_t done = 0; done < bytes;) {
    const size_t part = std::min(kStreamDistance, (bytes - done) / streams);
    for (size_t at = 0; at < part; at += kLine) {
      for (int s = 0; s < streams; ++s) {
        const uint8_t* line = base + done + s * part + at;
        if (prefetch) __builtin_prefetch(line + kPrefetchAhead, 0, 0);
        const auto* words = reinterpret_cast<const Vector*>(line);
#pragma GCC unroll 4
        for (size_t v = 0; v < kLine / kVectorBytes; ++v) sums[s][v % kChains] ^= words[v];
      }
    }
    done += streams * part;
  }
  Vector all = {};
  for (int s = 0; s < streams; ++s) {
    for (size_t c = 0; c < kChains; ++c) all ^= sums[s][c];
  }
  return all[0];
}

constexpr std::array<ReadPattern, kReadPatterns> kPatterns = {{
    {1, false, read_streams<1, false>},
    {2, false, read_streams<2, false>},
    {4, false, read_streams<4, false>},
    {8, false, read_streams<8, false>},
    {1, true, read_streams<1, true>},
    {2, true, read_streams<2, true>},
    {4, true, read_streams<4, true>},
    {8, true, read_streams<8, true>},
}};

}  // namespace

std::string ReadPattern::text() const {
  return std::to_string(streams) + (streams == 1 ? " stream" : " streams") +
         (prefetch ? ", prefetch" : "");
}

const ReadPattern& read_pattern(int index) { return kPatterns.at(static_cast<size_t>(index)); }

double seconds_on_threads(int threads, const std::function<void(int)>& work) {
  std::vector<Clock::time_point> starts(threads), ends(threads);
  std::atomic<int> ready{0};
  const auto run = [&](int thread) {
    ready.fetch_add(1);
    while (ready.load() < threads) std::this_thread::yield();
    starts[thread] = Clock::now();
    work(thread);
    ends[thread] = Clock::now();
  };
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(run, t);
  run(0);
  for (std::thread& other : others) other.join();
  const auto first = *std::min_element(starts.begin(), starts.end());
  const auto last = *std::max_element(ends.begin(), ends.end());
  return std::chrono::duration<double>(last - first).count();
}

}  // namespace gatefold
