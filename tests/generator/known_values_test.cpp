// Numbers that can be worked out by hand, and the limits of the activations, through compiled
// kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "accuracy/known_values.h"
#include "tests/generator/test_block.h"

namespace gatefold::test {
namespace {

constexpr size_t kPlaces = 3;  // alone, in a vector, in a tail

class KnownValues : public testing::TestWithParam<Variant> {};

TEST_P(KnownValues, ComeOutOfEveryKernel) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  const FfnSpec ffn{.variant = GetParam(), .dtype = DType::f32, .shape = {}, .bias = true};
  const TemporaryFolder folder;
  const LoadedLibrary library(
      build_library(default_plan(ffn, Target::x86_avx2, {1, 4}), options_in(folder)));
  const std::vector<AccuracyCell> cells = check_known_values(library, "x86-avx2");
  EXPECT_EQ(cells.size(),
            known_values(GetParam()).size() * kPlaces * library.kernels("x86-avx2").size());
  for (const AccuracyCell& cell : cells) EXPECT_TRUE(cell.ok) << cell.kernel << ": " << cell.note;
}

/// silu_2 is the second silu, one with other parameters.
std::string name_of(const testing::TestParamInfo<Variant>& info) {
  const std::vector<Variant> all = variants_with_known_values();
  const auto same = [&](const Variant& v) { return v.name == info.param.name; };
  const auto number = 1 + std::count_if(all.begin(), all.begin() + long(info.index), same);
  return info.param.name + (number == 1 ? "" : "_" + std::to_string(number));
}

INSTANTIATE_TEST_SUITE_P(Variants, KnownValues, testing::ValuesIn(variants_with_known_values()),
                         name_of);

TEST(KnownValues, AreThereForEveryVariant) {
  for (const Variant& variant : all_variants())
    EXPECT_FALSE(known_values(variant).empty()) << variant.name;
}

}  // namespace
}  // namespace gatefold::test
