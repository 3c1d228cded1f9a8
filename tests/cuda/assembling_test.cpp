#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "spec/error.h"
#include "tests/cuda/assembled.h"
#include "tests/formats/files.h"
#include "tests/support/paths.h"
#include "tuning/gpu_schedule.h"
#include "tuning/ptxas.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

const std::filesystem::path kEmitter = std::filesystem::path(binary_dir()) / "gatefold-emit";

bool has_tensor_cores() {
  return std::filesystem::exists(std::filesystem::path(binary_dir()) / "gatefold-emit-mlir");
}

DevicePoint point_of(const char* variant, DType dtype, int64_t rows) {
  const FfnSpec ffn{variant_named(variant), dtype, {341, 85}};
  return {cuda_kernel(ffn, Target::cuda_sm80, rows), {}};
}

PointResources read(const DevicePoint& point, const std::string& assembler) {
  return read_by_assembling({.emitter = kEmitter, .ptxas = assembler, .capability = 86})({point})
      .at(0);
}

class Assembling : public testing::Test {
 protected:
  void SetUp() override {
    if (ptxas().empty()) GTEST_SKIP() << "there is no ptxas here";
  }
};

/// Every launch of the model has an entry, by default points and by other ways to part the work.
TEST_F(Assembling, EveryLaunchHasItsEntry) {
  for (const DevicePoint& point :
       {point_of("swiglu", DType::f32, 3), point_of("gelu_tanh", DType::bf16, 3)}) {
    for (const char* change : {"xpack=1", "xpack=0", "slices=0", "fusion=unfused streams=1"}) {
      DevicePoint other = point;
      other.kernel.point = parse_point(change, point.kernel.point);
      const PointResources found = read(other, ptxas());
      ASSERT_EQ(found.failure, "") << other.text();
      const GpuEstimate e = gpu_estimate(other, gpu_profile_named("a10"), found.entries);
      EXPECT_EQ(e.refused.value_or(""), "") << other.text();
      EXPECT_EQ(e.registers, "ptxas");
      EXPECT_EQ(found.entries.size(), e.launches.size()) << other.text();
      for (const LaunchEstimate& l : e.launches) EXPECT_GE(l.block.registers, 8) << l.name;
    }
  }
}

TEST_F(Assembling, OfTensorCoresToo) {
  if (!has_tensor_cores()) GTEST_SKIP() << "gatefold-emit-mlir is not built";
  DevicePoint point = point_of("swiglu", DType::bf16, 16);
  for (const int split : {1, 2}) {
    point.tensor_core = default_tensor_core_point(point.kernel);
    point.tensor_core->split_k = split;
    const PointResources found = read(point, ptxas());
    ASSERT_EQ(found.failure, "") << point.text();
    EXPECT_EQ(found.entries.size(), split == 1 ? 2u : 3u);
    EXPECT_FALSE(gpu_estimate(point, gpu_profile_named("a10"), found.entries).refused);
  }
}

/// The estimate is used where there is no assembler: it must not promise blocks that do not fit. It
/// may be too high, since ptxas loads later than the PTX says.
TEST_F(Assembling, EstimatedRegistersAreNotFarTooFew) {
  std::vector<DevicePoint> points;
  for (const int64_t rows : {1, 8, 65}) {
    points.push_back(point_of("swiglu", DType::f32, rows));
    points.push_back(point_of("swiglu", DType::bf16, rows));
    if (!has_tensor_cores()) continue;
    points.push_back(points.back());
    points.back().tensor_core = default_tensor_core_point(points.back().kernel);
  }
  const GpuProfile& gpu = gpu_profile_named("a100-40gb");
  for (const DevicePoint& point : points) {
    const GpuEstimate guess = gpu_estimate(point, gpu);
    const GpuEstimate counted = gpu_estimate(point, gpu, read(point, ptxas()).entries);
    ASSERT_EQ(counted.launches.size(), guess.launches.size());
    for (size_t i = 0; i < guess.launches.size(); ++i) {
      EXPECT_LE(counted.launches[i].block.registers, 1.25 * guess.launches[i].block.registers + 8)
          << guess.launches[i].name << " of " << point.text();
    }
  }
}

TEST_F(Assembling, AScheduleIsOfAssembledCode) {
  const FfnSpec ffn{variant_named("swiglu"), DType::f32, {341, 85}};
  const GpuSchedule schedule =
      gpu_schedule(ffn, Target::cuda_sm80, {1, 65}, gpu_profile_named("l4"),
                   read_by_assembling({.emitter = kEmitter, .ptxas = ptxas(), .capability = 89}));
  ASSERT_EQ(schedule.kernels.size(), 2u);
  for (const GpuKernel& kernel : schedule.kernels) EXPECT_EQ(kernel.estimate.registers, "ptxas");
}

TEST(Assembler, WhatFailsIsToldOfThePoint) {
  const TempFolder folder;
  const std::string broken =
      folder.file("ptxas", "#!/bin/sh\necho \"ptxas fatal   : no such chip\" >&2\nexit 255\n");
  std::filesystem::permissions(broken, std::filesystem::perms::owner_all);
  const DevicePoint point = point_of("swiglu", DType::f32, 1);
  EXPECT_EQ(read(point, broken).failure, "ptxas exited with 255: ptxas fatal   : no such chip");
  DevicePoint illegal = point;
  illegal.kernel.point.mr = 99;
  EXPECT_THAT(read(illegal, broken).failure, HasSubstr("generating it exited with"));
}

TEST(Assembler, IsFoundWhereItIsAskedFor) {
  const TempFolder folder;
  const std::string program = folder.file("assembler", "#!/bin/sh\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  EXPECT_EQ(find_ptxas(program), program);
  EXPECT_EQ(find_ptxas("none"), "");
  try {
    find_ptxas(folder / "nothing");
    FAIL() << "there is nothing";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::usage);
    EXPECT_THAT(e.what(), HasSubstr("--ptxas: '"));
  }
}

}  // namespace
}  // namespace gatefold::test
