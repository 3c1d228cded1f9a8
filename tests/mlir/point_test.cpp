#include <gtest/gtest.h>

#include <algorithm>

#include "generator/mlir/tensor_core_point.h"
#include "generator/mlir/tile.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "tests/mlir/blocks.h"

namespace gatefold::test {
namespace {

TEST(TensorCorePoint, ReadsBackItsText) {
  const TensorCorePoint point{
      .bm = 16, .bn = 32, .bk = 64, .stages = 5, .warps_m = 1, .warps_n = 2, .split_k = 8};
  EXPECT_EQ(parse_tensor_core_point(point.text()), point);
  EXPECT_TRUE(is_tensor_core_point(point.text()));
  EXPECT_FALSE(is_tensor_core_point(SchedulePoint{}.text()));
}

TEST(TensorCorePoint, RefusesTextThatIsNotOne) {
  const std::string good = TensorCorePoint{}.text();
  for (const std::string& bad :
       {std::string(), std::string("bm=16"), good + " bm=16", good + " mr=3", good + " stages",
        "bm=x" + good.substr(6), "bm=0" + good.substr(6), "bm=" + good.substr(6)}) {
    EXPECT_THROW(parse_tensor_core_point(bad), Error) << bad;
  }
}

TEST(TensorCorePoint, DefaultsAreLegalForAllBlocks) {
  for (const Variant& variant : all_variants()) {
    for (const DType dtype : kHalfTypes) {
      for (const int64_t rows : {1, 8, 16, 17, 64, 65, 512, 8192}) {
        KernelSpec spec = tensor_core_spec(variant.name, dtype, rows);
        for (const Shape& shape : {Shape{}, Shape{37, 41}, Shape{4096, 11008}}) {
          spec.ffn.shape = shape;
          const TensorCorePoint point = default_tensor_core_point(spec);
          const auto reason = why_illegal(spec, point, 80);
          EXPECT_FALSE(reason) << variant.name << " " << rows << ": " << reason.value_or("");
          // sm_86 and sm_89 run what is for sm_80 and give a block 99 KiB.
          EXPECT_LE(hidden_tile(spec, point).shared_bytes(), 99 * 1024);
          EXPECT_LE(down_tile(spec, point).shared_bytes(), 99 * 1024);
        }
      }
    }
  }
}

/// The kernels of a library share one packing, Halide's for few rows and these for many.
TEST(TensorCorePoint, AllPackingsOfCudaAreFine) {
  for (const DType dtype : kHalfTypes) {
    KernelSpec spec = tensor_core_spec("swiglu", dtype);
    for (const Shape& shape : {Shape{}, Shape{37, 41}, Shape{4096, 11008}}) {
      spec.ffn.shape = shape;
      for (const Packing& packing : legal_packings(spec.ffn, Target::cuda_sm80)) {
        spec.packing = packing;
        EXPECT_EQ(why_no_tensor_cores(spec).value_or(""), "") << packing.text();
      }
    }
  }
}

TEST(TensorCorePoint, LegalOnesHaveTheDefaultAmongThem) {
  for (const char* variant : {"swiglu", "gelu"}) {
    for (const int64_t rows : kTunedRows) {
      const KernelSpec spec = tensor_core_spec(variant, DType::bf16, rows);
      const std::vector<TensorCorePoint> points = legal_tensor_core_points(spec, 80);
      const TensorCorePoint usual = default_tensor_core_point(spec);
      EXPECT_EQ(std::count(points.begin(), points.end(), usual), 1) << usual.text();
      EXPECT_GT(legal_tensor_core_points(spec, 90).size(), points.size());
    }
  }
}

TEST(TensorCorePoint, FewRowsOfALongDownProjectionAreSplit) {
  KernelSpec spec = tensor_core_spec("swiglu", DType::bf16, 16);
  spec.ffn.shape = {4096, 11008};
  EXPECT_GT(default_tensor_core_point(spec).split_k, 1);
  spec.ffn.shape = {4096, 256};
  EXPECT_EQ(default_tensor_core_point(spec).split_k, 1);
}

/// The reason of a point that is legal but for what `change` does to it.
std::string reason_of(const std::function<void(TensorCorePoint&)>& change, int capability = 80) {
  const KernelSpec spec = tensor_core_spec("swiglu", DType::bf16, 256);
  TensorCorePoint point;
  change(point);
  return why_illegal(spec, point, capability).value_or("legal");
}

TEST(TensorCorePoint, SaysWhyATilingIsNotLegal) {
  EXPECT_EQ(reason_of([](auto&) {}), "legal");
  EXPECT_EQ(reason_of([](auto& p) { p.bm = 48; }), "bm is 48, wanted 16, 32, 64, 128 or 256");
  EXPECT_EQ(reason_of([](auto& p) { p.bn = 16; }), "bn is 16, wanted 32, 64, 128 or 256");
  EXPECT_EQ(reason_of([](auto& p) { p.bk = 16; }), "bk is 16, wanted 32 or 64");
  EXPECT_EQ(reason_of([](auto& p) { p.stages = 1; }), "stages is 1, wanted 2 to 8");
  EXPECT_EQ(reason_of([](auto& p) { p.warps_m = 3; }), "warps_m is 3, wanted 1, 2, 4 … 32");
  EXPECT_EQ(reason_of([](auto& p) { p.split_k = 65; }), "split_k is 65, wanted at most 64");
  EXPECT_EQ(reason_of([](auto& p) { p.warps_m = 32, p.warps_n = 2; }),
            "gate/up: threads is 2048, wanted at most 1024");
  EXPECT_EQ(reason_of([](auto& p) { p.warps_m = 16; }),
            "gate/up: bm is 128, wanted a multiple of 256");
  EXPECT_EQ(reason_of([](auto& p) { p.warps_n = 8; }),
            "gate/up: bn is 64, wanted a multiple of 128");
  EXPECT_EQ(reason_of([](auto& p) { p.bn = 32, p.warps_m = 8; }),
            "gate/up: chunks of a tile is 128, wanted a multiple of 512");
  EXPECT_EQ(reason_of([](auto& p) { p.bn = 128; }),
            "gate/up: registers is 352, wanted at most 255");
}

TEST(TensorCorePoint, SharedMemoryIsThatOfTheChip) {
  const auto large = [](TensorCorePoint& p) { p.bk = 64, p.stages = 6; };
  EXPECT_EQ(reason_of(large, 80), "gate/up: shared memory is 196608, wanted at most 166912 bytes");
  EXPECT_EQ(reason_of(large, 90), "legal");
}

TEST(TensorCorePoint, SaysWhatHasNoTensorCoreKernel) {
  const auto reason = [](const auto& change) {
    KernelSpec spec = tensor_core_spec("swiglu", DType::bf16);
    change(spec);
    return why_no_tensor_cores(spec).value_or("legal");
  };
  EXPECT_EQ(reason([](auto&) {}), "legal");
  EXPECT_EQ(reason([](auto& s) { s.ffn.dtype = DType::f32; }),
            "dtype is f32, wanted bf16 or f16: tensor cores multiply those");
  EXPECT_EQ(reason([](auto& s) { s.ffn.act_dtype = DType::f32; }),
            "x and y are in f32, wanted bf16: tensor cores multiply two matrices of one type");
  EXPECT_EQ(reason([](auto& s) { s.ffn.dtype = s.ffn.accumulate = DType::f16; }),
            "sums are in f16, wanted f32");
  EXPECT_EQ(reason([](auto& s) { s.packing.panel = 16; }), "packing: panel is 16, wanted 32 or 64");
  EXPECT_EQ(reason([](auto& s) { s.packing.pair = 2; }), "packing: pair is 2, wanted 8");
  EXPECT_EQ(reason([](auto& s) { s.packing.k_step = 2; }),
            "packing: padding of k is 16, wanted a multiple of 32");
  EXPECT_EQ(reason([](auto& s) { s.packing.group = 1, s.packing.k_lines = 4; }),
            "packing: columns of a group is 64, wanted a multiple of 128");
}

TEST(TensorCorePoint, CapabilityIsInTheTargetsName) {
  EXPECT_EQ(compute_capability("cuda-sm80"), 80);
  EXPECT_EQ(compute_capability("cuda-sm90"), 90);
  EXPECT_THROW(compute_capability("x86-avx2"), Error);
  EXPECT_THROW(compute_capability("cuda-sm"), Error);
}

}  // namespace
}  // namespace gatefold::test
