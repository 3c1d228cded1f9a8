#include "runtime/cpu_features.h"

#include <array>
#include <atomic>

#include "gatefold/gatefold.h"
#include "runtime/cuda/device.h"

namespace gatefold {
namespace {

constexpr uint32_t bits(std::initializer_list<int> positions) {
  uint32_t word = 0;
  for (int position : positions) word |= uint32_t{1} << position;
  return word;
}

struct X86Requirement {
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

constexpr std::array<X86Requirement, 3> kX86 = {{
    {"x86-avx2", {kLeaf1, kAvx2, 0, 0, kLzcnt}, kXmmYmm},
    {"x86-avx512", {kLeaf1, kAvx512, 0, 0, kLzcnt}, kXmmYmmZmm},
    {"x86-avx512-bf16", {kLeaf1, kAvx512Ifma, kZen4Leaf7Ecx, kAvx512Bf16, kLzcnt}, kXmmYmmZmm},
}};

struct Arm64Requirement {
  const char* target;
  HwcapWords words;
};

// Bits of Linux's arch/arm64/include/uapi/asm/hwcap.h.
constexpr uint64_t kNeon = bits({0, 1});                  // fp, asimd
constexpr uint64_t kDotprod = kNeon | bits({9, 10, 20});  // fphp, asimdhp, asimddp

constexpr std::array<Arm64Requirement, 2> kArm64 = {{
    {"arm64-neon", {kNeon, 0}},
    {"arm64-neon-dotprod", {kDotprod, 0}},
}};

constexpr int kTargets = kX86.size() + kArm64.size();

const char* target_at(int rank) {
  const auto r = static_cast<size_t>(rank);
  return r < kX86.size() ? kX86[r].target : kArm64[r - kX86.size()].target;
}

std::atomic<uint32_t> assumed{0};  // bit n: the target of rank n

constexpr bool contains(uint64_t have, uint64_t needed) { return (have & needed) == needed; }

bool fulfils(const X86Requirement& need, const CpuidWords& cpu, uint64_t xcr0) {
  return contains(cpu.leaf1_ecx, need.words.leaf1_ecx) &&
         contains(cpu.leaf7_ebx, need.words.leaf7_ebx) &&
         contains(cpu.leaf7_ecx, need.words.leaf7_ecx) &&
         contains(cpu.leaf7_1_eax, need.words.leaf7_1_eax) &&
         contains(cpu.extended_ecx, need.words.extended_ecx) && contains(xcr0, need.xcr0);
}

#if defined(__x86_64__)
bool is_of_this_architecture(std::string_view target) { return target.starts_with("x86-"); }
bool usable_here(std::string_view target) {
  static const CpuidWords words = read_cpuid_words();
  static const uint64_t xcr0 = read_xcr0();
  return target_usable(target, words, xcr0);
}
#elif defined(__aarch64__)
bool is_of_this_architecture(std::string_view target) { return target.starts_with("arm64-"); }
bool usable_here(std::string_view target) {
  static const HwcapWords words = read_hwcap_words();
  return target_usable(target, words);
}
#endif

}  // namespace

bool target_usable(std::string_view target, const CpuidWords& cpu, uint64_t xcr0) {
  for (const X86Requirement& need : kX86) {
    if (target == need.target) return fulfils(need, cpu, xcr0);
  }
  return false;
}

bool target_usable(std::string_view target, const HwcapWords& cpu) {
  for (const Arm64Requirement& need : kArm64) {
    if (target == need.target)
      return contains(cpu.hwcap, need.words.hwcap) && contains(cpu.hwcap2, need.words.hwcap2);
  }
  return false;
}

bool target_usable(std::string_view target) {
  const int rank = target_rank(target);
  return rank >= 0 && ((assumed >> rank & 1) != 0 || usable_here(target));
}

void assume_usable(std::string_view target) {
  const int rank = target_rank(target);
  if (rank >= 0 && is_of_this_architecture(target)) assumed |= uint32_t{1} << rank;
}

int target_rank(std::string_view target) {
  for (int rank = 0; rank < kTargets; ++rank) {
    if (target == target_at(rank)) return rank;
  }
  return -1;
}

const char* best_target() {
  const char* best = "";
  for (int rank = 0; rank < kTargets; ++rank) {
    if (target_usable(target_at(rank))) best = target_at(rank);
  }
  return best;
}

}  // namespace gatefold

int gf_isa_usable(const char* target) {
  if (!target) return 0;
  return gatefold::target_usable(target) || gatefold::cuda::target_runs(target) ? 1 : 0;
}
