#pragma once

#include <sys/mman.h>

#include <array>
#include <cstdint>

#include "tuning/roof_probes.h"

namespace gatefold {

/// Memory of 2 MiB pages where the system gives them, all pages touched.
class ReadBuffer {
 public:
  explicit ReadBuffer(size_t bytes);
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

/// One instruction on all threads, in slices of a few milliseconds.
class PeakMeter {
 public:
  PeakMeter(const PeakProbe& probe, int threads);

  /// Billions of operations a second in one slice.
  double gops() const;

 private:
  double seconds() const;

  PeakProbe probe_;
  int threads_;
  int64_t iterations_ = 1000;
};

/// Passes over a buffer several times the last cache. Long ones: over 64 MiB at a time the best
/// pattern gave 15 GB/s where kernels drew 17 (EPYC 7003, 1 thread).
class ReadMeter {
 public:
  static constexpr size_t kLeaders = 3;

  explicit ReadMeter(int threads);

  /// The fastest read patterns, found when it was made.
  int leader(size_t place) const { return leaders_[place]; }
  double gbps(int pattern);

 private:
  void choose_leaders();

  ReadBuffer buffer_;
  int threads_;
  size_t part_;
  std::array<int, kLeaders> leaders_ = {};
  std::array<volatile uint64_t, 16> kept_ = {};
};

}  // namespace gatefold
