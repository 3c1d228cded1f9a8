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
using FpWord = uint32_t;  ///< MXCSR
inline constexpr FpWord kStandardFpWord = 0x1f80;
inline FpWord read_fp_word() { return _mm_getcsr(); }
inline void write_fp_word(FpWord word) { _mm_setcsr(word); }
/// Without the flags that operations raise.
inline FpWord fp_controls(FpWord word) { return word & ~FpWord{0x3f}; }
#elif defined(__aarch64__)
using FpWord = uint64_t;  ///< FPCR, and above it FPSR: the flags
inline constexpr FpWord kStandardFpWord = 0;
inline FpWord read_fp_word() {
  uint64_t controls, flags;
  __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(controls), "=r"(flags)::"memory");
  return controls | flags << 32;
}
inline void write_fp_word(FpWord word) {
  const uint64_t controls = word & 0xffffffff, flags = word >> 32;
  __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" ::"r"(controls), "r"(flags) : "memory");
}
inline FpWord fp_controls(FpWord word) { return word & 0xffffffff; }
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
