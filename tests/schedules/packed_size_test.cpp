// What a packed block occupies beside its weights as they are stored.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "schedules/space.h"

namespace gatefold {
namespace {

struct Block {
  const char* variant;
  Shape shape;
  bool bias = false;
};

/// The shapes whose speed is a promise.
constexpr Block kBlocks[] = {
    {"swiglu", {4096, 11008}}, {"swiglu", {896, 4864}},     {"swiglu", {2048, 768}},
    {"swiglu", {5120, 17408}}, {"swiglu", {4096, 14336}},   {"geglu", {768, 2048}},
    {"gelu", {768, 3072}},     {"gelu", {384, 1536}, true}, {"swiglu", {512, 1365}},
};

double packed_ratio(const FfnSpec& ffn, const Packing& packing) {
  const Shape& s = ffn.shape;
  const int inner = ffn.variant.gated ? 2 : 1;
  const auto packed = static_cast<double>(inner * packed_elements(packing, s.d_ff, s.d_model) +
                                          packed_elements(packing, s.d_model, s.d_ff));
  return packed / static_cast<double>((inner + 1) * s.d_ff * s.d_model);
}

class PackedSize : public testing::TestWithParam<std::tuple<TargetInfo, DTypeInfo>> {};

/// A device's panels are wide: that of 64 columns costs 512x1365 one part in 42.
TEST_P(PackedSize, OfTheDefaultIsLittleMoreThanTheWeights) {
  const auto& [target, dtype] = GetParam();
  const double most = target.device == Device::cpu ? 1.02 : 1.025;
  for (const Block& block : kBlocks) {
    const FfnSpec ffn{variant_named(block.variant), dtype.dtype, block.shape, block.bias};
    const Packing packing = legal_packings(ffn, target.target).front();
    EXPECT_LE(packed_ratio(ffn, packing), most)
        << block.variant << " " << block.shape.d_model << "x" << block.shape.d_ff << ": "
        << packing.text();
  }
}

std::string case_name(const testing::TestParamInfo<PackedSize::ParamType>& info) {
  std::string text = std::get<0>(info.param).name + "_" + std::get<1>(info.param).name;
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

INSTANTIATE_TEST_SUITE_P(All, PackedSize,
                         testing::Combine(testing::ValuesIn(all_targets()),
                                          testing::ValuesIn(all_dtypes())),
                         case_name);

}  // namespace
}  // namespace gatefold
