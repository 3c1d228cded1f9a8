#include "runtime/cpu_features.h"

#include <array>
#include <atomic>

#include "gatefold/gatefold.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gatefold {
namespace {

constexpr uint32_t bits(std::initializer_list<int> positions) {
  uint32_t word = 0;
  for (int position : positions) word |= uint32_t{1} << position;
  return word;
}

struct Requirement {
  const char* target;
  CpuidWords words;
  uint64_t xcr0;
};

constexpr uint64_t kXmmYmm = 0x6;
constexpr uint64_t kXmmYmmZmm = 0xe6;  // with opmask, ZMM_Hi256 and Hi16_ZMM

// ssse3, fma, sse4.1, sse4.2, popcnt, osxsave, avx, f16c
constexpr uint32_t kLeaf1 = bits({9, 12, 19, 20, 23, 27, 28, 29});
constexpr uint32_t kLzcnt = bits({5});
constexpr uint32_t kAvx2 = bits({3, 5, 8});                       // bmi1, avx2, bmi2
constexpr uint32_t kAvx512 = kAvx2 | bits({16, 17, 28, 30, 31});  // f, dq, cd, bw, vl
constexpr uint32_t kAvx512Ifma = kAvx512 | bits({21});
// vbmi, vbmi2, gfni, vaes, vpclmulqdq, vnni, bitalg, vpopcntdq: for this target LLVM may use all
// that Zen 4 has, not only the dot product.
constexpr uint32_t kZen4Leaf7Ecx = bits({1, 6, 8, 9, 10, 11, 12, 14});
constexpr uint32_t kAvx512Bf16 = bits({5});

constexpr std::array<Requirement, 3> kRequirements = {{
    {"x86-avx2", {kLeaf1, kAvx2, 0, 0, kLzcnt}, kXmmYmm},
    {"x86-avx512", {kLeaf1, kAvx512, 0, 0, kLzcnt}, kXmmYmmZmm},
    {"x86-avx512-bf16", {kLeaf1, kAvx512Ifma, kZen4Leaf7Ecx, kAvx512Bf16, kLzcnt}, kXmmYmmZmm},
}};

std::atomic<uint32_t> assumed{0};  // bit n: the target of kRequirements[n]

constexpr bool contains(uint64_t have, uint64_t needed) { return (have & needed) == needed; }

bool fulfils(const Requirement& need, const CpuidWords& cpu, uint64_t xcr0) {
  return contains(cpu.leaf1_ecx, need.words.leaf1_ecx) &&
         contains(cpu.leaf7_ebx, need.words.leaf7_ebx) &&
         contains(cpu.leaf7_ecx, need.words.leaf7_ecx) &&
         contains(cpu.leaf7_1_eax, need.words.leaf7_1_eax) &&
         contains(cpu.extended_ecx, need.words.extended_ecx) && contains(xcr0, need.xcr0);
}

}  // namespace

bool target_usable(std::string_view target, const CpuidWords& cpu, uint64_t xcr0) {
  const int rank = target_rank(target);
  return rank >= 0 && fulfils(kRequirements[rank], cpu, xcr0);
}

bool target_usable(std::string_view target) {
  static const CpuidWords words = read_cpuid_words();
  static const uint64_t xcr0 = read_xcr0();
  const int rank = target_rank(target);
  return rank >= 0 && ((assumed >> rank & 1) != 0 || target_usable(target, words, xcr0));
}

void assume_usable(std::string_view target) {
  const int rank = target_rank(target);
  if (rank >= 0) assumed |= uint32_t{1} << rank;
}

int target_rank(std::string_view target) {
  for (size_t i = 0; i < kRequirements.size(); ++i) {
    if (target == kRequirements[i].target) return static_cast<int>(i);
  }
  return -1;
}

const char* best_target() {
  const char* best = "";
  for (const Requirement& need : kRequirements) {
    if (target_usable(need.target)) best = need.target;
  }
  return best;
}

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
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !contains(c, bits({27}))) return 0;  // osxsave
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t{high} << 32) | low;
}

#else

CpuidWords read_cpuid_words() { return {}; }
uint64_t read_xcr0() { return 0; }

#endif

}  // namespace gatefold

int gf_isa_usable(const char* target) { return target && gatefold::target_usable(target) ? 1 : 0; }
