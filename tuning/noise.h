#pragma once

#include <cstdint>

namespace gatefold {

/// More involuntary context switches than the kernel's own threads make in that time.
bool too_many_switches(int64_t switches, double elapsed_ms);

/// Whether the system interfered with a stretch of work: another process took this one's cores
/// (involuntary context switches), or the hypervisor took the machine's (stolen time).
class NoiseGuard {
 public:
  NoiseGuard();

  /// Since construction. A few switches in a long stretch are the kernel's own threads: harmless.
  bool disturbed(double elapsed_ms) const;

 private:
  struct Counters {
    int64_t involuntary_switches = 0;
    int64_t stolen_ticks = 0;
  };
  static Counters read();

  Counters start_;
};

}  // namespace gatefold
