#pragma once

#include <string>

#include "spec/target.h"

namespace gatefold {

/// What this machine reaches at most, measured: the best of many short slices with `threads`
/// threads. All zero where nothing was measured.
struct Roof {
  double f32_gflops = 0;   ///< fused multiply-add on f32
  double bf16_gflops = 0;  ///< what bf16 kernels multiply with: vdpbf16ps, else f32
  double i8_gops = 0;      ///< u8 x s8 dot product
  double read_gbps = 0;    ///< reading memory far larger than the caches
  int threads = 0;
  Target target = Target::x86_avx2;
  std::string f32_instruction, bf16_instruction, i8_instruction;
  std::string read_pattern;  ///< the access pattern that was fastest, e.g. "4 streams, prefetch"
};

/// Takes about a second. Error (unavailable) if this CPU cannot run the target.
Roof measure_roof(Target target, int threads);

/// The better of each figure. A roof is the best of many slices, so what was measured at two
/// moments is together one measurement: others on the same host come and go.
Roof better_of(const Roof& a, const Roof& b);

}  // namespace gatefold
