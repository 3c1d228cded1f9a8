#include "schedules/space.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

namespace gatefold {
namespace {

/// Every shape worth doubting, dense and gated, for one target and dtype.
class Space : public testing::TestWithParam<std::tuple<TargetInfo, DTypeInfo>> {
 protected:
  std::vector<FfnSpec> blocks() const {
    std::vector<FfnSpec> out;
    for (const Shape& s :
         {Shape{}, Shape{1, 1}, Shape{1, 37}, Shape{37, 1}, Shape{64, 100}, Shape{85, 341},
          Shape{512, 1365}, Shape{896, 4864}, Shape{4096, 11008}}) {
      for (const char* v : {"swiglu", "relu"}) out.push_back({variant_named(v), dtype(), s, true});
    }
    return out;
  }
  Target target() const { return std::get<0>(GetParam()).target; }
  DType dtype() const { return std::get<1>(GetParam()).dtype; }

  /// Calls check with every packing of every block.
  void for_each_kernel(const std::function<void(KernelSpec)>& check) const {
    for (const FfnSpec& ffn : blocks()) {
      for (const Packing& packing : legal_packings(ffn, target())) {
        check({ffn, target(), {1, 1, 1}, packing, {}});
      }
    }
  }
};

TEST_P(Space, DefaultsAreLegalForEveryPackingCpuAndRowCount) {
  for_each_kernel([](KernelSpec k) {
    for (int64_t rows : {1, 2, 3, 4, 5, 16, 64, 192, 256, 5000, 100000}) {
      k.rows = {rows, rows, rows};
      for (const CpuProfile& cpu : all_cpu_profiles()) {
        k.point = default_point(k, cpu);
        EXPECT_EQ(why_illegal(k).value_or(""), "") << k.packing.text() << " | " << k.point.text();
        EXPECT_LE(k.point.mr, rows);
      }
    }
  });
}

TEST_P(Space, DownNeverReadsHiddenColumnsWithoutPanels) {
  for_each_kernel([](const KernelSpec& k) {
    const Packing& p = k.packing;
    const int64_t d_ff = k.ffn.shape.d_ff == Shape::kAny ? 1365 : k.ffn.shape.d_ff;
    EXPECT_LE(packed_lines(p, d_ff) * p.k_step * p.pair, packed_panels(p, d_ff) * p.panel)
        << p.text();
  });
}

TEST_P(Space, EveryEnumeratedPointIsLegalAndNoneTwice) {
  for_each_kernel([](KernelSpec k) {
    for (int64_t rows : {1, 16}) {
      k.rows = {rows, rows, rows};
      const std::vector<SchedulePoint> points = legal_points(k);
      std::set<std::string> seen;
      for (const SchedulePoint& p : points) {
        k.point = p;
        ASSERT_EQ(why_illegal(k).value_or(""), "") << p.text();
        ASSERT_TRUE(seen.insert(p.text()).second) << p.text() << " twice";
      }
      // A device's block of threads cannot part what has one line.
      const bool cpu = std::get<0>(GetParam()).device == Device::cpu;
      EXPECT_GE(points.size(), cpu ? 20u : 4u) << k.ffn.shape.text() << " " << k.packing.text();
    }
  });
}

std::string case_name(const testing::TestParamInfo<std::tuple<TargetInfo, DTypeInfo>>& p) {
  std::string name = std::get<0>(p.param).name + "_" + std::get<1>(p.param).name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Space,
                         testing::Combine(testing::ValuesIn(all_targets()),
                                          testing::ValuesIn(all_dtypes())),
                         case_name);

KernelSpec usual() {
  const FfnSpec ffn{variant_named("swiglu"), DType::f32, {4096, 11008}, false};
  KernelSpec k{
      ffn, Target::x86_avx2, {5, 16, 16}, legal_packings(ffn, Target::x86_avx2).front(), {}};
  k.point = default_point(k, cpu_profile_named("generic"));
  return k;
}

/// What the reason of a spoilt kernel must name.
void expect_reason(const KernelSpec& k, const std::string& part) {
  const std::string reason = why_illegal(k).value_or("(legal)");
  EXPECT_NE(reason.find(part), std::string::npos) << reason;
}

TEST(SpaceReasons, NameTheTunableAndItsBound) {
  KernelSpec k = usual();
  k.point.mr = 7;
  expect_reason(k, "mr=7, wanted 1 to 6 (registers)");
  k = usual();
  k.point.kb = 7;
  expect_reason(k, "kb=7, wanted a divisor of the 2048 packed lines");
  k = usual();
  k.point.streams = 3;
  expect_reason(k, "streams=3");
  k = usual();
  k.point.streams = 1;
  expect_reason(k, "an even number, for gate and up");
  k = usual();
  k.point.unroll = 2;
  expect_reason(k, "unroll=2, wanted 1 with prefetch");
  k = usual();
  k.point.mb = 4;
  expect_reason(k, "mb=4, wanted 0 unless fusion=blocked or streamed");
  k = usual();
  k.point.slices = 4;
  expect_reason(k, "slices=4, wanted 0 unless fusion=streamed");
  k.point.fusion = Fusion::streamed;
  expect_reason(k, "mb=0, wanted 1 to 4096 with fusion=streamed");
  k.point.mb = 4;
  EXPECT_EQ(why_illegal(k).value_or(""), "");
  k.point.slices = 3;
  expect_reason(k, "slices=3, wanted a divisor from 2 of the 5504 packed lines");
  k.point.slices = 5504;
  expect_reason(k, "slices=5504, wanted slices of whole groups of 8 columns");
  k.ffn.shape.d_ff = Shape::kAny;
  expect_reason(k, "fusion=streamed, wanted another for any d_ff");
  k = usual();
  k.packing.panel = 12;
  expect_reason(k, "panel=12");
  k = usual();
  k.packing.pair = 2;
  expect_reason(k, "pair=2, wanted 1");
  k = usual();
  k.ffn.shape = {1 << 20, 1 << 20};
  k.point.kb = 0;
  expect_reason(k, "d_model * d_ff = 1099511627776");
  k.ffn.shape = {1 << 11, (1 << 20) - 1};  // the last column's panel is padded to the limit
  expect_reason(k, "d_model * d_ff = 2147483648 with its padding");
}

TEST(SpaceReasons, OfNeonKnowItsRegistersAndItsBf16) {
  KernelSpec k = usual();
  k.target = Target::arm64_neon;
  k.packing = legal_packings(k.ffn, k.target).front();
  k.point = default_point(k, cpu_profile_named("generic"));
  k.point.mr = 6;
  EXPECT_EQ(why_illegal(k).value_or(""), "");
  k.point.mr = 7;
  expect_reason(k, "mr=7, wanted 1 to 6 (registers)");
  k.point.mr = 5;
  k.point.xpack = 0;  // a pointer for each row
  expect_reason(k, "mr=5, wanted 1 to 4 (registers)");
  k.ffn.dtype = DType::bf16;
  expect_reason(k, "k_step=2, wanted 4");
  k.packing.pair = 2;
  expect_reason(k, "pair=2, wanted 1 for this dtype and target");
}

TEST(SpaceReasons, OfDevicesKnowBlocksOfThreads) {
  KernelSpec k = usual();
  k.target = Target::cuda_sm80;
  k.packing = legal_packings(k.ffn, k.target).front();
  const auto reset = [&] { k.point = default_point(k, cpu_profile_named("generic")); };
  reset();
  EXPECT_EQ(why_illegal(k).value_or(""), "");
  k.point.fusion = Fusion::blocked;
  expect_reason(k, "fusion=blocked, wanted gated or unfused on cuda-sm80");
  reset();
  k.point.ks = 16, k.point.mb = 2;
  expect_reason(k, "ks=16, wanted at most 1024 threads");
  k.point.mr = 7, k.point.ks = 8, k.point.mb = 0;
  expect_reason(k, "ks=8, wanted at most 49152 bytes of shared memory");
  reset();
  k.point.mr = 17;
  expect_reason(k, "mr=17, wanted 1 to 16");
  k.point.mr = 16, k.point.mb = 16, k.point.ks = 1;
  expect_reason(k, "mr=16, wanted fewer rows: ");
  reset();
  k.point.slices = 1;
  expect_reason(k, "slices=1, wanted 0, or 2 to 256");
  reset();
  k.point.unroll = 2;
  expect_reason(k, "unroll=2, wanted 1 on cuda-sm80");
  reset();
  k.ffn.shape.d_model = 40;  // two lines
  k.point.mr = 2, k.point.mb = 0, k.point.ks = 4;
  expect_reason(k, "ks=4, wanted at most the 2 lines of d_model");
  k = usual();
  k.point.ks = 2;
  expect_reason(k, "ks=2, wanted 1 on x86-avx2");
}

TEST(SpaceDefaults, OfDevicesFillThem) {
  KernelSpec k = usual();
  k.target = Target::cuda_sm80;
  k.packing = legal_packings(k.ffn, k.target).front();
  const auto at = [&](int64_t rows) {
    k.rows = {rows, rows, rows};
    return default_point(k, cpu_profile_named("generic"));
  };
  EXPECT_EQ(k.packing.group, 4) << "4096 and 11008 are multiples of four panels";
  EXPECT_EQ(at(1).mr, 1);
  EXPECT_EQ(at(1).ks, 4);
  EXPECT_GE(at(1).slices, 2) << "32 panel groups leave most of a device idle";
  EXPECT_EQ(at(8).mr, 4) << "tiles of eight rows spill";
  EXPECT_EQ(at(8).mb, 2) << "all rows of one block, which reads the weights once";
  EXPECT_EQ(at(256).mr, 16);
  EXPECT_EQ(at(256).mb, 4);
  EXPECT_EQ(at(256).ks, 1) << "there are enough rows";
}

TEST(Space, HoldsStreamedPointsForFewRowsOnly) {
  KernelSpec k = usual();
  const auto streamed = [&] {
    const std::vector<SchedulePoint> points = legal_points(k);
    return std::any_of(points.begin(), points.end(),
                       [](const SchedulePoint& p) { return p.fusion == Fusion::streamed; });
  };
  EXPECT_TRUE(streamed());
  k.rows = {65, 256, 256};
  EXPECT_FALSE(streamed()) << "partial results of many rows leave the cache";
}

TEST(SpaceDefaults, SixteenRowsTakeTilesWithoutWaste) {
  EXPECT_EQ(usual().point.mr, 4);
  EXPECT_EQ(usual().point.fusion, Fusion::gated);
}

TEST(SpaceDefaults, WideTargetsTakeTheTilesMeasuredBest) {
  KernelSpec k = usual();
  k.target = Target::x86_avx512;
  k.packing = legal_packings(k.ffn, k.target).front();
  for (const auto& [rows, mr] : {std::pair<int64_t, int>{192, 12}, {16, 8}, {12, 12}, {24, 12}}) {
    k.rows = {rows, rows, rows};
    EXPECT_EQ(default_point(k, cpu_profile_named("zen5")).mr, mr) << rows << " rows";
  }
}

TEST(SpaceDefaults, PrefetchOfWideTargetsIsThatOfTheCore) {
  KernelSpec k = usual();
  k.target = Target::x86_avx512;
  k.packing = legal_packings(k.ffn, k.target).front();
  const auto at = [&](int64_t rows, const char* cpu) {
    k.rows = {rows, rows, rows};
    const SchedulePoint point = default_point(k, cpu_profile_named(cpu));
    return std::pair(point.pf, point.pl);
  };
  EXPECT_EQ(at(4, "zen4"), std::pair(0, 1)) << "few rows wait for memory alone";
  EXPECT_EQ(at(8, "zen4"), std::pair(64, 2));
  EXPECT_EQ(at(64, "zen4"), std::pair(32, 1));
  EXPECT_EQ(at(8, "zen5"), std::pair(96, 1));
}

TEST(SpaceDefaults, WideTargetsGroupFourPanelsWhereThatPadsLittle) {
  const auto group = [](const Shape& shape) {
    const FfnSpec ffn{variant_named("swiglu"), DType::f32, shape, false};
    return legal_packings(ffn, Target::x86_avx512).front().group;
  };
  EXPECT_EQ(group({4096, 11008}), 4);
  EXPECT_EQ(group({896, 4864}), 4);
  EXPECT_EQ(group({512, 1365}), 2) << "1408 columns would be 3 % more";
  EXPECT_EQ(group({}), 2) << "what is not known may be small";
}

TEST(SpaceReasons, ThePrefetchLevelIsAChoiceOfX86WithPrefetch) {
  KernelSpec k = usual();
  k.point.pf = 32;
  k.point.pl = 2;
  EXPECT_EQ(why_illegal(k).value_or(""), "");
  k.point.pl = 3;
  EXPECT_EQ(why_illegal(k).value_or(""), "pl=3, wanted 1 or 2");
  k.point.pl = 2;
  k.point.pf = 0;
  EXPECT_EQ(why_illegal(k).value_or(""), "pl=2, wanted 1 without prefetch, and on arm64");
}

}  // namespace
}  // namespace gatefold
