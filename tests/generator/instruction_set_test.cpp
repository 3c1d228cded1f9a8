// No kernel uses an instruction that its target does not promise: neither one of a higher target
// nor one vendor's extra (sse4a, clzero, fma4, xop, tbm …). The assembler knows which is which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/generator/assembly.h"

namespace gatefold::test {
namespace {

class InstructionSet : public testing::TestWithParam<Target> {};

std::string test_name(Target target) {
  std::string name = info(target).name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

TEST_P(InstructionSet, NothingBeyondTheTarget) {
  for (const Variant& variant : all_variants()) {
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      const KernelSpec kernel =
          default_kernel({variant, dtype, {}, true}, GetParam(), {5, RowBucket::kOpen, 16});
      EXPECT_EQ(beyond_target(assembly_of(kernel), GetParam()), "") << kernel_name(kernel);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, InstructionSet,
                         testing::Values(Target::x86_avx2, Target::x86_avx512,
                                         Target::x86_avx512_bf16),
                         [](const auto& target) { return test_name(target.param); });

/// An instruction and the lowest target that promises it.
struct Promise {
  const char* instruction;
  int lowest;  ///< index among those of x86; past the end: none
};

TEST(InstructionSetCheck, KnowsWhatEachTargetPromises) {
  constexpr int kAvx2 = 0, kAvx512 = 1, kBf16 = 2, kNone = 3;
  const Promise promises[] = {
      {"vfmadd231ps %ymm1, %ymm2, %ymm3", kAvx2},
      {"vcvtps2ph $0, %ymm1, (%rax)", kAvx2},
      {"shlxq %rax, %rbx, %rcx", kAvx2},
      {"lzcntl %eax, %ecx", kAvx2},
      {"vfmadd231ps %zmm1, %zmm2, %zmm3", kAvx512},
      {"vaddps %ymm16, %ymm2, %ymm3", kAvx512},
      {"vaddps %ymm1, %ymm2, %ymm3 {%k1}", kAvx512},
      {"kmovw %k1, %eax", kAvx512},
      {"vpermt2w %zmm1, %zmm2, %zmm3", kAvx512},
      {"vdpbf16ps %zmm1, %zmm2, %zmm3", kBf16},
      {"vcvtneps2bf16 %zmm1, %ymm2", kBf16},
      {"vpdpbusd %zmm1, %zmm2, %zmm3", kBf16},
      {"vpmadd52luq %zmm1, %zmm2, %zmm3", kBf16},
      {"vpermb %zmm1, %zmm2, %zmm3", kBf16},
      {"vpcompressw %zmm1, %zmm2 {%k1}", kBf16},
      {"extrq $1, $2, %xmm1", kNone},
      {"insertq %xmm1, %xmm2", kNone},
      {"movntss %xmm1, (%rax)", kNone},
      {"movntsd %xmm1, (%rax)", kNone},
      {"clzero", kNone},
      {"vfmaddps %xmm1, %xmm2, %xmm3, %xmm4", kNone},
      {"vpcmov %xmm1, %xmm2, %xmm3, %xmm4", kNone},
      {"blcfill %eax, %ecx", kNone},
      {"tdpbf16ps %tmm1, %tmm2, %tmm3", kNone},
      {"vaddph %zmm1, %zmm2, %zmm3", kNone},
      {"{vex} vpdpbusd %ymm1, %ymm2, %ymm3", kNone},
      {"vfmadd231ps", kNone},
  };
  for (const Promise& p : promises) {
    for (const TargetInfo& target : targets_of(Arch::x86_64)) {
      const bool accepted =
          beyond_target(std::string("\t") + p.instruction + "\n", target.target).empty();
      EXPECT_EQ(accepted, static_cast<int>(target.target) >= p.lowest)
          << p.instruction << " on " << target.name;
    }
  }
}

}  // namespace
}  // namespace gatefold::test
