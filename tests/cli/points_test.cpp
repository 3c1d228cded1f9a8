// Any legal point is right: points drawn from the space, through generate and check (f64 reference,
// special values, row counts around tiles and buckets, guarded outputs, the same bits on 1 and 2
// threads).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gatefold/gatefold.h"
#include "schedules/space.h"
#include "tests/cli/gatefold_process.h"
#include "tests/formats/files.h"

namespace gatefold::test {
namespace {

constexpr size_t kPointsOfEach = 2;

/// No multiples of a panel; with its padding d_ff has slices all the same.
constexpr Shape kOdd = {44, 157};

struct Drawn {
  Fusion fusion;
  const char* dtypes;
};

void PrintTo(const Drawn& d, std::ostream* out) { *out << name(d.fusion) << " " << d.dtypes; }

class Points : public testing::TestWithParam<Drawn> {};

std::vector<SchedulePoint> draw(const FfnSpec& ffn, const RowBucket& rows, Fusion fusion) {
  const Packing packing = legal_packings(ffn, Target::x86_avx2).front();
  std::vector<SchedulePoint> points = legal_points({ffn, Target::x86_avx2, rows, packing, {}});
  std::erase_if(points, [&](const SchedulePoint& p) { return p.fusion != fusion; });
  std::shuffle(points.begin(), points.end(), std::mt19937(1));
  points.resize(std::min(points.size(), kPointsOfEach));
  return points;
}

void expect_right(const FfnSpec& ffn, const SchedulePoint& point) {
  SCOPED_TRACE(point.text());
  const TempFolder folder;
  const Outcome made = gatefold({"generate",
                                 "--variant",
                                 "swiglu",
                                 "--d-model",
                                 std::to_string(kOdd.d_model),
                                 "--d-ff",
                                 std::to_string(kOdd.d_ff),
                                 "--bias",
                                 "--residual",
                                 "--dtype",
                                 info(ffn.dtype).name,
                                 "--act-dtype",
                                 info(ffn.act()).name,
                                 "--target",
                                 "x86-avx2",
                                 "--rows",
                                 "13",
                                 "--schedule",
                                 point.text(),
                                 "--name",
                                 "k",
                                 "-o",
                                 folder.path()});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const Outcome checked = gatefold({"check", "--library", folder / "k.json", "--json"});
  EXPECT_EQ(checked.exit_code, 0) << checked.out.substr(0, 3000) << checked.err;
}

TEST_P(Points, AreRight) {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  FfnSpec ffn{.variant = variant_named("swiglu"), .shape = kOdd, .bias = true, .residual = true};
  set_dtypes(ffn, GetParam().dtypes);
  const std::vector<SchedulePoint> points = draw(ffn, {1, RowBucket::kOpen, 13}, GetParam().fusion);
  EXPECT_EQ(points.size(), kPointsOfEach);
  for (const SchedulePoint& point : points) expect_right(ffn, point);
}

std::vector<Drawn> every() {
  std::vector<Drawn> all;
  for (Fusion f : {Fusion::unfused, Fusion::gated, Fusion::blocked, Fusion::streamed})
    for (const char* dtypes : {"f32", "bf16", "f16", "bf16_f32"}) all.push_back({f, dtypes});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Fusions, Points, testing::ValuesIn(every()), [](const auto& p) {
  return std::string(name(p.param.fusion)) + "_" + p.param.dtypes;
});

}  // namespace
}  // namespace gatefold::test
