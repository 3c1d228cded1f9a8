#include "tuning/roof_meters.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>

#include "spec/error.h"
#include "tuning/emulator.h"
#include "tuning/host.h"

namespace gatefold {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr double kSliceSeconds = 0.004;

/// An emulator's figures are labelled as such and bound nothing but its own: they need not be good.
size_t buffer_bytes() {
  if (is_emulated()) return 16 * kHugePage;
  const int64_t bytes =
      std::clamp<int64_t>(6 * last_level_cache_bytes(), int64_t{256} << 20, int64_t{2} << 30);
  return static_cast<size_t>(bytes) / (4 * kHugePage) * 4 * kHugePage;
}

}  // namespace

ReadBuffer::ReadBuffer(size_t bytes) : mapped_(bytes + kHugePage), bytes_(bytes) {
  memory_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory_ == MAP_FAILED) {
    fail("roof: no memory for a buffer of " + std::to_string(bytes) + " bytes");
  }
  const size_t address = reinterpret_cast<size_t>(memory_);
  base_ = static_cast<uint8_t*>(memory_) + (kHugePage - address % kHugePage) % kHugePage;
  madvise(base_, bytes_, MADV_HUGEPAGE);
  std::memset(base_, 1, bytes_);
}

PeakMeter::PeakMeter(const PeakProbe& probe, int threads) : probe_(probe), threads_(threads) {
  while (seconds() < kSliceSeconds && iterations_ < (int64_t{1} << 40)) iterations_ *= 2;
}

double PeakMeter::gops() const {
  return probe_.ops_per_iteration * static_cast<double>(iterations_) * threads_ / seconds() / 1e9;
}

double PeakMeter::seconds() const {
  return seconds_on_threads(threads_, [this](int) { probe_.run(iterations_); });
}

ReadMeter::ReadMeter(int threads)
    : buffer_(buffer_bytes()),
      threads_(threads),
      part_(buffer_.size() / static_cast<size_t>(threads) / 4096 * 4096) {
  choose_leaders();
}

double ReadMeter::gbps(int pattern) {
  const double seconds = seconds_on_threads(threads_, [&](int thread) {
    kept_[static_cast<size_t>(thread) % kept_.size()] =
        read_pattern(pattern).read(buffer_.data() + static_cast<size_t>(thread) * part_, part_);
  });
  return static_cast<double>(part_) * threads_ / seconds / 1e9;
}

void ReadMeter::choose_leaders() {
  std::array<double, kReadPatterns> best = {};
  std::array<int, kReadPatterns> order;
  std::iota(order.begin(), order.end(), 0);
  for (int round = 0; round < 4; ++round) {
    for (int p : order) best[p] = std::max(best[p], gbps(p));
  }
  std::sort(order.begin(), order.end(), [&](int a, int b) { return best[a] > best[b]; });
  std::copy_n(order.begin(), kLeaders, leaders_.begin());
}

}  // namespace gatefold
