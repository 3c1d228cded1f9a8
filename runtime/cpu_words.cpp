// What this machine's CPU says of itself.
#include "runtime/cpu_features.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace gatefold {

#if defined(__x86_64__)

CpuidWords read_cpuid_words() {
  CpuidWords words;
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d)) words.leaf1_ecx = c;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
    words.leaf7_ebx = b;
    words.leaf7_ecx = c;
    const uint32_t last_subleaf = a;
    if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d)) words.leaf7_1_eax = a;
  }
  if (__get_cpuid(0x80000001, &a, &b, &c, &d)) words.extended_ecx = c;
  return words;
}

uint64_t read_xcr0() {
  constexpr uint32_t kOsXsave = uint32_t{1} << 27;
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & kOsXsave)) return 0;
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

HwcapWords read_hwcap_words() { return {}; }

#elif defined(__aarch64__)

CpuidWords read_cpuid_words() { return {}; }
uint64_t read_xcr0() { return 0; }
HwcapWords read_hwcap_words() { return {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)}; }

#endif

}  // namespace gatefold
