#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "spec/target.h"

namespace gatefold {

/// A loop of one instruction on registers only. Written in assembly, so that the file needs no
/// -march flag and the compiler cannot remove or reorder anything.
struct PeakProbe {
  const char* instruction;
  double ops_per_iteration;  ///< multiplies and adds counted apart
  void (*run)(int64_t iterations);
};

PeakProbe f32_probe(Target target);
PeakProbe bf16_probe(Target target);
PeakProbe i8_probe(Target target);

/// One way to read memory: so many streams at once, each through its own part.
struct ReadPattern {
  int streams;
  bool prefetch;
  /// Reads all of [base, base + bytes); both multiples of 4096. The value only keeps the loads.
  uint64_t (*read)(const uint8_t* base, size_t bytes);

  std::string text() const;
};

inline constexpr int kReadPatterns = 8;
const ReadPattern& read_pattern(int index);

/// Runs work(thread) on `threads` threads that start together; seconds from the first start to the
/// last end.
double seconds_on_threads(int threads, const std::function<void(int)>& work);

}  // namespace gatefold
