#pragma once

#include <memory>
#include <string>

#include "spec/target.h"

namespace gatefold {

/// What this machine reaches, measured with `threads` threads. All zero where nothing was measured.
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

/// Measures in short slices, so that they can be taken in turn with the calls that they are
/// compared with: what others on the same host take away is then taken from both.
class RoofMeter {
 public:
  /// Takes about half a second. Error (unavailable) if this CPU cannot run the target.
  RoofMeter(Target target, int threads);
  ~RoofMeter();
  RoofMeter(RoofMeter&&) noexcept;
  RoofMeter& operator=(RoofMeter&&) noexcept;

  /// A few milliseconds of each instruction, and the best of one pass of each of the fastest read
  /// patterns.
  void sample();

  int samples() const;
  /// Of all samples from number `first` on: the best of each figure, or what a quarter of the
  /// samples reach: a bound that does not hang on one lucky moment.
  Roof best(int first = 0) const;
  Roof usual(int first = 0) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The best of many samples. Takes about a second. Error (unavailable) if this CPU cannot run the
/// target.
Roof measure_roof(Target target, int threads);

/// The better of each figure: what was measured at two moments is together one measurement, since
/// others on the same host come and go.
Roof better_of(const Roof& a, const Roof& b);

}  // namespace gatefold
