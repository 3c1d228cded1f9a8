#include "spec/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "spec/dtype.h"
#include "spec/ffn_spec.h"
#include "spec/machine.h"
#include "spec/target.h"
#include "spec/variant.h"

namespace gatefold {
namespace {

using ::testing::HasSubstr;

TEST(NearestName, FindsTheSmallestDistance) {
  const std::vector<std::string> names = {"geglu", "swiglu", "reglu"};
  EXPECT_EQ(nearest_name(names, "swigly"), "swiglu");
  EXPECT_EQ(nearest_name(names, "geglu"), "geglu");
  EXPECT_EQ(nearest_name(names, "gglu"), "geglu");
}

TEST(NearestName, FarNamesAreNotProposed) {
  EXPECT_EQ(nearest_name({"swiglu"}, "x"), "");
  EXPECT_EQ(nearest_name({"swiglu"}, "convolution-3d"), "");
  EXPECT_EQ(nearest_name({}, "swiglu"), "");
}

TEST(NearestName, HandlesEmptyAndOverlongText) {
  EXPECT_EQ(nearest_name({"swiglu"}, ""), "");
  EXPECT_EQ(nearest_name({"ab"}, "ab?"), "ab");
}

template <typename Lookup>
std::string usage_error(Lookup lookup) {
  try {
    lookup();
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.what();
  }
  return "no error";
}

TEST(UnknownName, EveryVocabularyProposesTheNearestAndListsAll) {
  const std::string variant = usage_error([] { variant_named("swiglo"); });
  EXPECT_THAT(variant, HasSubstr("unknown variant 'swiglo', did you mean 'swiglu'?"));
  for (const Variant& v : all_variants()) EXPECT_THAT(variant, HasSubstr(v.name));
  EXPECT_THAT(usage_error([] { dtype_named("fp32"); }), HasSubstr("did you mean 'f32'?"));
  EXPECT_THAT(usage_error([] { target_named("x86-avx51"); }),
              HasSubstr("did you mean 'x86-avx512'?"));
  EXPECT_THAT(usage_error([] { cpu_profile_named("zen44"); }), HasSubstr("did you mean 'zen4'?"));
  EXPECT_THAT(
      usage_error([] { cpu_profile_named("apple-m1", Arch::x86_64); }),
      HasSubstr("--cpu: 'apple-m1' is of arm64, the targets of x86_64; wanted one of generic"));
  EXPECT_EQ(cpu_profile_named("generic", Arch::arm64).name, "generic");
}

TEST(UnknownName, WithoutANearNameThereIsNoProposal) {
  EXPECT_THAT(usage_error([] { dtype_named("quaternion"); }), Not(HasSubstr("did you mean")));
}

TEST(Shortest, ReadsBackAsTheSameFloat) {
  for (const float value : {0.0f, 1.0f, 0.01f, 1.702f, 7.0f, -3.5f, 1e-30f, 3.4028235e38f}) {
    EXPECT_EQ(std::strtof(shortest(value).c_str(), nullptr), value) << shortest(value);
  }
  EXPECT_EQ(shortest(1.702f), "1.702");
  EXPECT_EQ(shortest(7.0f), "7");
}

TEST(SplitList, KeepsEmptyParts) {
  EXPECT_THAT(split_list("a,b"), testing::ElementsAre("a", "b"));
  EXPECT_THAT(split_list("a,,b,"), testing::ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split_list(""), testing::ElementsAre(""));
}

TEST(Targets, AreInTheOrderOfTheirEnum) {
  for (const TargetInfo& t : all_targets()) {
    EXPECT_EQ(&info(t.target), &t);
    EXPECT_EQ(target_named(t.name).target, t.target);
  }
  for (const DTypeInfo& d : all_dtypes()) EXPECT_EQ(info(d.dtype).name, d.name);
}

TEST(Targets, DoNotDependOnOneVendorsExtras) {
  for (const TargetInfo& t : all_targets()) {
    for (const char* extra : {"sse4a", "clzero", "xop", "fma4", "amx"}) {
      EXPECT_THAT(t.halide, Not(HasSubstr(extra))) << t.name;
    }
  }
}

TEST(HiddenDType, IsRoundedOnlyForTheDotInstruction) {
  const auto hidden = [](Target target, const char* dtypes) {
    FfnSpec ffn;
    set_dtypes(ffn, dtypes);
    return hidden_dtype(ffn, target);
  };
  EXPECT_EQ(hidden(Target::x86_avx512_bf16, "bf16"), DType::bf16);
  EXPECT_EQ(hidden(Target::x86_avx512, "bf16"), DType::f32);
  EXPECT_EQ(hidden(Target::x86_avx512_bf16, "bf16_f32"), DType::f32);
  EXPECT_EQ(hidden(Target::x86_avx512_bf16, "f32"), DType::f32);
  EXPECT_EQ(hidden(Target::x86_avx512_bf16, "f16"), DType::f32);
  EXPECT_EQ(hidden(Target::arm64_neon_dotprod, "f16"), DType::f32);
  EXPECT_EQ(hidden(Target::arm64_neon_dotprod, "f16_acc16"), DType::f16);
}

TEST(HiddenDType, IsRoundedByTensorCores) {
  const auto hidden = [](const char* dtypes, const char* point) {
    FfnSpec ffn;
    set_dtypes(ffn, dtypes);
    return hidden_dtype(ffn, Target::cuda_sm80, point);
  };
  EXPECT_EQ(hidden("bf16", "bm=64 bn=64 bk=64"), DType::bf16);
  EXPECT_EQ(hidden("f16", "bm=64 bn=64 bk=64"), DType::f16);
  EXPECT_EQ(hidden("bf16", "fusion=gated mr=1"), DType::f32);
}

TEST(ActDType, IsTheWeightsTypeOrF32) {
  FfnSpec ffn;
  for (const char* text : {"f32", "bf16", "f16", "bf16_f32", "f16_f32"}) {
    set_dtypes(ffn, text);
    EXPECT_EQ(ffn.dtypes(), text);
  }
  EXPECT_EQ(ffn.dtype, DType::f16);
  EXPECT_EQ(ffn.act(), DType::f32);
  for (const char* text : {"f32_bf16", "bf16_f16"}) {
    EXPECT_THAT(usage_error([&] { set_dtypes(ffn, text); }), HasSubstr("or f32")) << text;
  }
  set_dtypes(ffn, "f32_f32");
  EXPECT_EQ(ffn.dtypes(), "f32");
}

TEST(Accumulate, IsF32UnlessAllElseIsF16) {
  FfnSpec ffn;
  set_dtypes(ffn, "f16_acc16");
  EXPECT_EQ(ffn.accumulate, DType::f16);
  EXPECT_EQ(ffn.act(), DType::f16);
  EXPECT_EQ(ffn.dtypes(), "f16_acc16");
  set_dtypes(ffn, "f16");
  EXPECT_EQ(ffn.accumulate, DType::f32) << "as a text without it says";
  for (const char* dtypes : {"f32", "bf16", "f16_f32"}) {
    set_dtypes(ffn, dtypes);
    set_accumulate(ffn, DType::f32);
    EXPECT_THAT(usage_error([&] { set_accumulate(ffn, DType::f16); }),
                HasSubstr("--accumulate: 'f16' with weights in"))
        << dtypes;
  }
  set_dtypes(ffn, "f16");
  EXPECT_THAT(usage_error([&] { set_accumulate(ffn, DType::bf16); }),
              HasSubstr("wanted f32 or f16"));
  EXPECT_THAT(usage_error([&] { set_dtypes(ffn, "bf16_acc16"); }), HasSubstr("wanted f32"));
}

TEST(Accumulate, OfF16TakesTwiceTheLanes) {
  KernelSpec kernel;
  kernel.target = Target::arm64_neon_dotprod;
  EXPECT_EQ(sum_lanes(kernel), 4);
  kernel.ffn.accumulate = DType::f16;
  EXPECT_EQ(sum_lanes(kernel), 8);
}

}  // namespace
}  // namespace gatefold
