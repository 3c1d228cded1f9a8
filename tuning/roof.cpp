#include "tuning/roof.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "gatefold/gatefold.h"
#include "spec/error.h"
#include "tuning/host.h"
#include "tuning/roof_probes.h"

namespace gatefold {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr double kSliceSeconds = 0.004;
constexpr int kComputeSlices = 16;

/// Memory of 2 MiB pages where the system gives them, all pages touched.
class ReadBuffer {
 public:
  explicit ReadBuffer(size_t bytes) : mapped_(bytes + kHugePage), bytes_(bytes) {
    memory_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) {
      fail("roof: no memory for a buffer of " + std::to_string(bytes) + " bytes");
    }
    const size_t address = reinterpret_cast<size_t>(memory_);
    base_ = static_cast<uint8_t*>(memory_) + (kHugePage - address % kHugePage) % kHugePage;
    madvise(base_, bytes_, MADV_HUGEPAGE);
    std::memset(base_, 1, bytes_);
  }
  ReadBuffer(const ReadBuffer&) = delete;
  ReadBuffer& operator=(const ReadBuffer&) = delete;
  ~ReadBuffer() { munmap(memory_, mapped_); }

  const uint8_t* data() const { return base_; }
  size_t size() const { return bytes_; }

 private:
  void* memory_;
  uint8_t* base_;
  size_t mapped_, bytes_;
};

/// Billions of operations a second: best slice, since everything that disturbs only slows.
double peak_gops(const PeakProbe& probe, int threads) {
  int64_t iterations = 1000;
  const auto slice = [&] {
    return seconds_on_threads(threads, [&](int) { probe.run(iterations); });
  };
  double seconds = slice();
  while (seconds < kSliceSeconds && iterations < (int64_t{1} << 40)) {
    iterations *= 2;
    seconds = slice();
  }
  for (int i = 0; i < kComputeSlices; ++i) seconds = std::min(seconds, slice());
  return probe.ops_per_iteration * static_cast<double>(iterations) * threads / seconds / 1e9;
}

/// Each pass reads the next window, so that nothing is read twice within one buffer's length.
class ReadProbe {
 public:
  ReadProbe(const ReadBuffer& buffer, int threads)
      : buffer_(buffer), threads_(threads), window_(buffer.size() / 4) {
    part_ = window_ / static_cast<size_t>(threads) / 4096 * 4096;
  }

  double gbps(const ReadPattern& pattern) {
    const uint8_t* window = buffer_.data() + (next_++ % 4) * window_;
    const double seconds = seconds_on_threads(threads_, [&](int thread) {
      kept_[static_cast<size_t>(thread) % kept_.size()] =
          pattern.read(window + static_cast<size_t>(thread) * part_, part_);
    });
    return static_cast<double>(part_) * threads_ / seconds / 1e9;
  }

 private:
  const ReadBuffer& buffer_;
  int threads_;
  size_t window_, part_, next_ = 0;
  std::array<volatile uint64_t, 16> kept_ = {};
};

void measure_read(Roof& roof, int threads) {
  const int64_t bytes =
      std::clamp<int64_t>(6 * last_level_cache_bytes(), int64_t{256} << 20, int64_t{2} << 30);
  const ReadBuffer buffer(static_cast<size_t>(bytes) / (4 * kHugePage) * 4 * kHugePage);
  ReadProbe probe(buffer, threads);
  std::array<double, kReadPatterns> best = {};
  std::array<int, kReadPatterns> order;
  std::iota(order.begin(), order.end(), 0);
  const auto pass = [&](int p) { best[p] = std::max(best[p], probe.gbps(read_pattern(p))); };
  const auto faster = [&](int a, int b) { return best[a] > best[b]; };
  for (int round = 0; round < 3; ++round) std::for_each(order.begin(), order.end(), pass);
  std::sort(order.begin(), order.end(), faster);
  // The leaders once more: the best of a few passes still misses a quiet moment.
  for (int round = 0; round < 6; ++round) std::for_each(order.begin(), order.begin() + 3, pass);
  const int winner = *std::min_element(order.begin(), order.end(), faster);
  roof.read_gbps = best[winner];
  roof.read_pattern = read_pattern(winner).text();
}

}  // namespace

Roof measure_roof(Target target, int threads) {
  if (!gf_isa_usable(info(target).name.c_str())) {
    fail_unavailable("roof: target '" + info(target).name + "' cannot run on this CPU");
  }
  if (threads < 1) fail_usage("roof: " + std::to_string(threads) + " threads, wanted 1 or more");
  Roof roof;
  roof.threads = threads;
  roof.target = target;
  const PeakProbe f32 = f32_probe(target), bf16 = bf16_probe(target), i8 = i8_probe(target);
  roof.f32_instruction = f32.instruction;
  roof.bf16_instruction = bf16.instruction;
  roof.i8_instruction = i8.instruction;
  roof.f32_gflops = peak_gops(f32, threads);
  roof.bf16_gflops = bf16.run == f32.run ? roof.f32_gflops : peak_gops(bf16, threads);
  roof.i8_gops = peak_gops(i8, threads);
  measure_read(roof, threads);
  return roof;
}

Roof better_of(const Roof& a, const Roof& b) {
  Roof roof = a;
  roof.f32_gflops = std::max(a.f32_gflops, b.f32_gflops);
  roof.bf16_gflops = std::max(a.bf16_gflops, b.bf16_gflops);
  roof.i8_gops = std::max(a.i8_gops, b.i8_gops);
  if (b.read_gbps > a.read_gbps) roof.read_gbps = b.read_gbps, roof.read_pattern = b.read_pattern;
  return roof;
}

}  // namespace gatefold
