// The schedules of devices, run by OpenCL: what they compute, at sizes that fill no panel.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "runtime/reference/compare.h"
#include "tests/opencl/device_kernel.h"

namespace gatefold::test {
namespace {

constexpr Shape kShapes[] = {{1, 37}, {37, 1}, {85, 341}, {512, 1365}};
constexpr int64_t kRows[] = {1, 3, 8, 65};
constexpr double kMostF32 = 2e-6;

FfnSpec block(const Variant& variant, DType dtype, const Shape& shape) {
  return {.variant = variant, .dtype = dtype, .shape = shape};
}

/// One call against the f64 reference.
void expect_right(DeviceKernel& kernel, const FfnSpec& ffn, int64_t rows) {
  SCOPED_TRACE(ffn.variant.name + " " + ffn.dtypes() + " " + ffn.shape.text() + ", " +
               std::to_string(rows) + " rows");
  const FfnData data(ffn, 1, 1);
  const std::vector<float> x = data.x(0, rows), residual = data.residual(0, rows);
  const ReferenceResult reference = reference_ffn(data.reference_block(), x.data(), rows, {},
                                                  residual.empty() ? nullptr : residual.data());
  const Tolerance t = tolerance(ffn.act(), DType::f32, ffn.shape.d_model, ffn.shape.d_ff);
  const Comparison found = compare(kernel.run(data, x, residual), reference, t);
  EXPECT_TRUE(acceptable(found, t, ffn.shape.d_model, ffn.shape.d_ff))
      << "rel_l2 " << found.rel_l2 << " scaled " << found.scaled << " worst " << found.worst;
  if (ffn.act() != DType::f32) return;
  const bool relative = std::min(ffn.shape.d_model, ffn.shape.d_ff) >= kRelativeFrom;
  EXPECT_LE(relative ? found.rel_l2 : found.scaled, kMostF32);
}

class OpenCl : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = no_opencl(); !reason.empty()) GTEST_SKIP() << reason;
  }
};

/// A kernel by the default point of its rows, called with as many.
struct Place {
  const char* variant;
  DType dtype;
  Shape shape;
  int64_t rows;
};

class OpenClDefaults : public OpenCl, public testing::WithParamInterface<Place> {};

TEST_P(OpenClDefaults, AreRight) {
  const Place& p = GetParam();
  const FfnSpec ffn = block(variant_named(p.variant), p.dtype, p.shape);
  DeviceKernel kernel(opencl_kernel(ffn, p.rows));
  expect_right(kernel, ffn, p.rows);
}

INSTANTIATE_TEST_SUITE_P(Places, OpenClDefaults,
                         testing::Values(Place{"swiglu", DType::f32, {512, 1365}, 1},
                                         Place{"swiglu", DType::f32, {512, 1365}, 3},
                                         Place{"swiglu", DType::f32, {512, 1365}, 8},
                                         Place{"swiglu", DType::f32, {512, 1365}, 65},
                                         Place{"swiglu", DType::bf16, {85, 341}, 65},
                                         Place{"gelu", DType::f16, {85, 341}, 8}),
                         [](const auto& p) {
                           const Place& place = p.param;
                           return place.variant + std::string("_") +
                                  gatefold::info(place.dtype).name + "_" + place.shape.text() +
                                  "_" + std::to_string(place.rows);
                         });

/// A kernel for any sizes with biases. Short code: PoCL takes longer to compile than to run.
class OpenClVariants : public OpenCl, public testing::WithParamInterface<Variant> {
 protected:
  static KernelSpec any_sizes() {
    FfnSpec ffn = block(GetParam(), DType::f32, {});
    ffn.bias = true;
    KernelSpec k = opencl_kernel(ffn, 1);
    k.point.mr = k.point.ks = 2;
    k.point.slices = 0;
    return k;
  }
  static void expect_special_values_to_stay_in_their_row(DeviceKernel& kernel, FfnSpec ffn);
};

/// Infinities meet the padded hidden columns too.
void OpenClVariants::expect_special_values_to_stay_in_their_row(DeviceKernel& kernel, FfnSpec ffn) {
  constexpr int64_t kCount = 5;
  ffn.shape = {37, 85};
  const FfnData data(ffn, 1, 1);
  std::vector<float> x = data.x(0, kCount);
  const std::vector<float> plain = kernel.run(data, x);
  x[1 * 37 + 36] = std::nanf("");
  x[2 * 37 + 7] = -std::nanf("");
  x[4 * 37 + 3] = INFINITY;
  const std::vector<float> y = kernel.run(data, x);
  const auto reference = reference_ffn(data.reference_block(), x.data(), kCount);
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t row = i / 37;
    if (row == 0 || row == 3) EXPECT_EQ(y[i], plain[i]) << "row " << row;
    if (row == 1 || row == 2) EXPECT_TRUE(std::isnan(y[i])) << "row " << row;
    if (row == 4) EXPECT_EQ(std::isnan(y[i]), std::isnan(reference.y[i])) << y[i];
  }
}

TEST_P(OpenClVariants, AreRightAtAnySizeAndKeepSpecialValuesInTheirRow) {
  const KernelSpec any = any_sizes();
  FfnSpec ffn = any.ffn;
  DeviceKernel kernel(any);
  for (const Shape& shape : kShapes) {
    ffn.shape = shape;
    for (const int64_t rows : kRows) expect_right(kernel, ffn, rows);
  }
  expect_special_values_to_stay_in_their_row(kernel, ffn);
}

INSTANTIATE_TEST_SUITE_P(All, OpenClVariants, testing::ValuesIn(all_variants()),
                         [](const auto& p) { return p.param.name; });

class OpenClPoints : public OpenCl, public testing::WithParamInterface<const char*> {};

/// With a residual, and f32 activations beside 16-bit weights: what the others do not have.
TEST_P(OpenClPoints, EveryTunableKeepsTheResult) {
  FfnSpec ffn = block(variant_named("swiglu"), DType::bf16, {85, 341});
  ffn.act_dtype = DType::f32;
  ffn.residual = true;
  DeviceKernel kernel(opencl_kernel(ffn, 8, GetParam()));
  for (const int64_t rows : {3, 33}) expect_right(kernel, ffn, rows);
}

INSTANTIATE_TEST_SUITE_P(Axes, OpenClPoints,
                         testing::Values("mr=3 xpack=0", "mr=3 ks=2 mb=2 xpack=0", "mr=4 slices=3",
                                         "mr=2 mb=4 ks=3 slices=2", "fusion=unfused mr=4 ks=2",
                                         "fusion=unfused mr=2 streams=1 slices=2"),
                         [](const auto& p) {
                           std::string name = p.param;
                           for (char& c : name) c = c == ' ' || c == '=' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace gatefold::test
