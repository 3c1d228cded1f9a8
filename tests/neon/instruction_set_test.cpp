// No NEON kernel uses an instruction that its target does not promise, or calls what no runtime
// gives it. The assembler knows which instruction is from which extension.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/generator/assembly.h"

namespace gatefold::test {
namespace {

class NeonInstructionSet : public testing::TestWithParam<Target> {};

std::string test_name(Target target) {
  std::string name = info(target).name;
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

TEST_P(NeonInstructionSet, NothingBeyondTheTarget) {
  for (const Variant& variant : all_variants()) {
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      const KernelSpec kernel =
          default_kernel({variant, dtype, {}, true}, GetParam(), {5, RowBucket::kOpen, 16});
      EXPECT_EQ(beyond_target(assembly_of(kernel), GetParam()), "") << kernel_name(kernel);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, NeonInstructionSet,
                         testing::Values(Target::arm64_neon, Target::arm64_neon_dotprod),
                         [](const auto& target) { return test_name(target.param); });

/// The tables of libraries define the functions of Halide; the rest is the C library's.
TEST(NeonKernels, CallNothingButHooksAndTheCLibrary) {
  const auto known = testing::AnyOf("halide_do_par_for", "halide_malloc", "halide_free",
                                    testing::StartsWith("halide_error"), "memcpy", "memset");
  size_t turn = 0;
  for (const Variant& variant : all_variants()) {
    for (const TargetInfo& target : targets_of(Arch::arm64)) {
      const FfnSpec ffn{variant, all_dtypes()[turn++ / 2 % 3].dtype, {}, true};
      const KernelSpec kernel = default_kernel(ffn, target.target, {5, RowBucket::kOpen, 16});
      EXPECT_THAT(undefined_symbols(kernel), testing::Each(known)) << kernel_name(kernel);
    }
  }
}

/// An instruction and the lowest target that promises it.
struct Promise {
  const char* instruction;
  int lowest;  ///< index among those of arm64; past the end: none
};

TEST(NeonInstructionSetCheck, KnowsWhatEachTargetPromises) {
  constexpr int kNeon = 0, kDotprod = 1, kNone = 2;
  const Promise promises[] = {
      {"fmla v0.4s, v1.4s, v2.s[3]", kNeon},
      {"fcvtl v0.4s, v1.4h", kNeon},
      {"fcvtn2 v0.8h, v1.4s", kNeon},
      {"fcvt s0, h1", kNeon},
      {"ld1r {v0.4s}, [x0]", kNeon},
      {"prfm pldl1keep, [x0, #64]", kNeon},
      {"sdot v0.4s, v1.16b, v2.4b[0]", kDotprod},
      {"fmla v0.8h, v1.8h, v2.h[3]", kDotprod},
      {"fadd h0, h1, h2", kDotprod},
      {"ucvtf h0, w1", kDotprod},
      // Dot products are of Armv8.1 at least, which has these.
      {"ldadd w0, w1, [x2]", kDotprod},
      {"sqrdmlah v0.4s, v1.4s, v2.4s", kDotprod},
      {"fmlal v0.4s, v1.4h, v2.4h", kNone},
      {"bfdot v0.4s, v1.8h, v2.8h", kNone},
      {"bfmmla v0.4s, v1.8h, v2.8h", kNone},
      {"smmla v0.4s, v1.16b, v2.16b", kNone},
      {"usdot v0.4s, v1.16b, v2.16b", kNone},
      {"fmla z0.s, p0/m, z1.s, z2.s", kNone},
      {"fjcvtzs w0, d1", kNone},
      {"fmla v0.4s", kNone},
  };
  const std::vector<TargetInfo> targets = targets_of(Arch::arm64);
  for (const Promise& p : promises) {
    for (size_t i = 0; i < targets.size(); ++i) {
      const std::string complaint =
          beyond_target(std::string("\t") + p.instruction + "\n", targets[i].target);
      EXPECT_EQ(complaint.empty(), static_cast<int>(i) >= p.lowest)
          << p.instruction << " on " << targets[i].name << ": " << complaint;
    }
  }
}

}  // namespace
}  // namespace gatefold::test
