#include "tuning/roof_probes.h"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "tuning/roof_probes_isa.h"

namespace gatefold {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kLine = 64;
constexpr size_t kPrefetchAhead = 24 * kLine;

/// How far apart the streams of one pattern run, like the panels of packed weights. Streams that
/// are a power of two of many MiB apart give a sixth less (EPYC 7003: 12.9 against 15.2 GB/s).
constexpr size_t kStreamDistance = size_t{128} << 10;

template <int streams, bool prefetch>
__attribute__((target("avx2"))) uint64_t read_streams(const uint8_t* base, size_t bytes) {
  __m256i sums[streams] = {};
  for (size_t done = 0; done < bytes;) {
    const size_t part = std::min(kStreamDistance, (bytes - done) / streams);
    for (size_t at = 0; at < part; at += kLine) {
      for (int s = 0; s < streams; ++s) {
        const uint8_t* line = base + done + s * part + at;
        if (prefetch)
          _mm_prefetch(reinterpret_cast<const char*>(line + kPrefetchAhead), _MM_HINT_NTA);
        const __m256i* words = reinterpret_cast<const __m256i*>(line);
        sums[s] = _mm256_xor_si256(sums[s], _mm256_load_si256(words));
        sums[s] = _mm256_xor_si256(sums[s], _mm256_load_si256(words + 1));
      }
    }
    done += streams * part;
  }
  for (int s = 1; s < streams; ++s) sums[0] = _mm256_xor_si256(sums[0], sums[s]);
  return static_cast<uint64_t>(_mm256_extract_epi64(sums[0], 0));
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

PeakProbe f32_probe(Target target) {
  return info(target).vector_lanes == 16 ? f32_probe_avx512() : f32_probe_avx2();
}

PeakProbe bf16_probe(Target target) {
  return info(target).bf16 == Bf16Path::dot ? bf16_probe_avx512() : f32_probe(target);
}

PeakProbe i8_probe(Target target) {
  return info(target).vector_lanes == 16 ? i8_probe_avx512() : i8_probe_avx2();
}

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
