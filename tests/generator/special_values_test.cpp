// NaN through compiled kernels, in vector bodies and tails alike. For infinities and huge values
// see known_values_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/generator/test_block.h"

namespace gatefold::test {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr int64_t kSize = 37;  // four vectors and a tail of five

class EveryVariant : public testing::TestWithParam<Variant> {};

TEST_P(EveryVariant, NanInARowReachesAllItsOutputsAndNoOtherRow) {
  const TestBlock block({GetParam(), DType::f32, {}, false}, {1, 4});
  Weights w(kSize, kSize);
  for (float& v : w.gate) v = 0.25f;
  for (float& v : w.up) v = 0.25f;
  for (float& v : w.down) v = 0.25f;
  for (float nan : {kNan, -kNan}) {
    for (int64_t column : {int64_t{0}, int64_t{7}, int64_t{31}, kSize - 1}) {
      std::vector<float> x(3 * kSize, 0.5f);
      x[kSize + column] = nan;
      const std::vector<float> y = block.run(w, x);
      for (int64_t i = 0; i < 3 * kSize; ++i) {
        EXPECT_EQ(std::isnan(y[i]), i / kSize == 1) << "column " << column << " output " << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(SpecialValues, EveryVariant, testing::ValuesIn(all_variants()),
                         [](const auto& p) { return p.param.name; });

}  // namespace
}  // namespace gatefold::test
