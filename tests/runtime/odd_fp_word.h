#pragma once

#include "runtime/fp_environment.h"

namespace gatefold::test {

// A floating-point environment in which a kernel would compute something else: subnormals flushed
// to zero, rounding toward zero; and some flags up.
#if defined(__x86_64__)
inline constexpr FpWord kOddFpWord = 0xffc0 | 0x21;
#elif defined(__aarch64__)
inline constexpr FpWord kOddFpWord = FpWord{1} << 24 | FpWord{3} << 22 | FpWord{0x11} << 32;
#endif

}  // namespace gatefold::test
