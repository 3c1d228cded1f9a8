#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include <cstdint>

namespace gatefold {

// Kernels run in the standard environment on every thread (nearest-even, exceptions masked,
// denormals kept), so that results depend neither on the caller's settings nor on which thread
// ran which part.
#if defined(__x86_64__)
using FpWord = uint32_t;
inline constexpr FpWord kStandardFpWord = 0x1f80;
inline FpWord read_fp_word() { return _mm_getcsr(); }
inline void write_fp_word(FpWord word) { _mm_setcsr(word); }
/// Without the flags that operations raise.
inline FpWord fp_controls(FpWord word) { return word & ~FpWord{0x3f}; }
#elif defined(__aarch64__)
using FpWord = uint64_t;
inline constexpr FpWord kStandardFpWord = 0;
inline FpWord read_fp_word() {
  FpWord word;
  __asm__ volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
inline void write_fp_word(FpWord word) { __asm__ volatile("msr fpcr, %0" ::"r"(word)); }
inline FpWord fp_controls(FpWord word) { return word; }
#endif

/// Standard floating-point environment for a scope; then the caller's again, flags included.
class StandardFpEnvironment {
 public:
  StandardFpEnvironment() : saved_(read_fp_word()) { write_fp_word(kStandardFpWord); }
  ~StandardFpEnvironment() { write_fp_word(saved_); }
  StandardFpEnvironment(const StandardFpEnvironment&) = delete;
  StandardFpEnvironment& operator=(const StandardFpEnvironment&) = delete;

 private:
  FpWord saved_;
};

}  // namespace gatefold
