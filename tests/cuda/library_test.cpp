// Libraries with kernels for CUDA, as `gatefold generate` makes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "generator/library.h"
#include "tests/cuda/assembled.h"
#include "tests/formats/files.h"
#include "tests/support/command.h"
#include "tests/support/paths.h"
#include "tuning/library_plan.h"

namespace gatefold::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

using Arguments = std::vector<std::string>;

ProcessResult generate(const TempFolder& folder, const Arguments& block,
                       const std::string& program = binary_dir() + "/gatefold") {
  Arguments all = {program,  "generate", "--variant", "swiglu",
                   "--name", "k",        "-o",        folder.path().string()};
  all.insert(all.end(), block.begin(), block.end());
  return result_of(all, 240);
}

/// Every PTX that stands in a file as plain text, up to its NUL.
std::vector<std::string> ptx_in(const std::string& file) {
  const std::string bytes = content(file), begins = ".version ";
  std::vector<std::string> found;
  for (size_t at = bytes.find(begins); at != bytes.npos; at = bytes.find(begins, at + 1)) {
    const std::string text = bytes.substr(at, bytes.find('\0', at) - at);
    if (text.find("\n.target sm_") != text.npos) found.push_back(text);
  }
  return found;
}

std::vector<Manifest::Kernel> device_kernels(const TempFolder& folder) {
  auto kernels = read_manifest(folder / "k.json").kernels;
  std::erase_if(kernels, [](const auto& k) { return !k.target.starts_with("cuda"); });
  return kernels;
}

bool have_tensor_cores() { return fs::exists(binary_dir() + "/gatefold-emit-mlir"); }

const std::vector<Arguments>& blocks() {
  static const std::vector<Arguments> all = {
      {"--dtype", "bf16", "--d-model", "any", "--d-ff", "any"},
      {"--dtype", "f16", "--d-model", "4096", "--d-ff", "11008", "--bias", "--residual"},
      {"--dtype", "bf16", "--act-dtype", "f32", "--d-model", "512", "--d-ff", "1365"},
      {"--dtype", "f32", "--d-model", "512", "--d-ff", "1365", "--bias"}};
  return all;
}

TEST(CudaLibrary, PtxStandsInItAsTextThatPtxasTakes) {
  for (Arguments block : blocks()) {
    const TempFolder folder;
    block.insert(block.end(), {"--target", "cuda-sm80,cuda-sm90", "--rows", "1,8,16,512"});
    const ProcessResult made = generate(folder, block);
    ASSERT_TRUE(made.ok()) << made.errors;
    const auto kernels = device_kernels(folder);
    ASSERT_THAT(kernels, SizeIs(8));
    const auto shared = ptx_in(folder / "libk.so");
    EXPECT_THAT(shared, SizeIs(kernels.size())) << "one for each kernel";
    EXPECT_THAT(ptx_in(folder / "libk.a"), testing::UnorderedElementsAreArray(shared));
    if (ptxas().empty()) continue;
    for (const std::string& ptx : shared) {
      const bool sm90 = ptx.find(".target sm_80") == ptx.npos;
      const Assembled found = assembled(ptx, sm90 ? "sm_90" : "sm_80");
      EXPECT_TRUE(found.accepted) << found.messages;
      EXPECT_FALSE(found.functions.empty()) << found.messages;
      for (const EntryResources& f : found.functions) EXPECT_EQ(f.spill_bytes, 0) << f.name;
    }
  }
}

TEST(CudaLibrary, HasKernelsOfCpusToo) {
  const TempFolder folder;
  const ProcessResult made =
      generate(folder, {"--dtype", "bf16", "--d-model", "64", "--d-ff", "160", "--target",
                        "cuda-sm80,x86-avx2", "--rows", "1,64", "--json"});
  ASSERT_TRUE(made.ok()) << made.errors;
  std::vector<std::string> targets;
  for (const auto& k : read_manifest(folder / "k.json").kernels) targets.push_back(k.target);
  EXPECT_THAT(targets, ElementsAre("x86-avx2", "x86-avx2", "cuda-sm80", "cuda-sm80"));
  if (!have_tensor_cores()) GTEST_SKIP() << "there is no gatefold-emit-mlir here";
  EXPECT_EQ(made.errors, "");
  const auto kernels = device_kernels(folder);
  EXPECT_FALSE(is_tensor_core_point(kernels[0].point));
  EXPECT_TRUE(is_tensor_core_point(kernels[1].point));
  EXPECT_EQ(kernels[0].packing, kernels[1].packing);
}

/// A copy of the program, with the one emitter beside it.
TEST(CudaLibrary, WithoutTheEmitterOfTensorCoresAllKernelsAreHalides) {
  const TempFolder programs, folder;
  fs::copy_file(binary_dir() + "/gatefold", programs / "gatefold");
  fs::create_symlink(binary_dir() + "/gatefold-emit", programs / "gatefold-emit");
  const ProcessResult made = generate(folder,
                                      {"--dtype", "bf16", "--d-model", "64", "--d-ff", "160",
                                       "--target", "cuda-sm80", "--rows", "1,64"},
                                      programs / "gatefold");
  ASSERT_TRUE(made.ok()) << made.errors;
  EXPECT_THAT(made.errors, HasSubstr("cuda-sm80: no kernels for tensor cores, since "
                                     "gatefold-emit-mlir is not beside this program"));
  for (const auto& kernel : device_kernels(folder))
    EXPECT_FALSE(is_tensor_core_point(kernel.point)) << kernel.point;
}

TEST(CudaLibrary, WhatDevicesCannotDoIsRefused) {
  const TempFolder folder;
  const std::vector<std::pair<Arguments, std::string>> cases = {
      {{"--target", "opencl", "--dtype", "f32"},
       "'opencl' is of a device (opencl), wanted one of a CPU or cuda"},
      {{"--target", "cuda-sm80", "--dtype", "f16", "--accumulate", "f16"},
       "--accumulate: 'f16' on target 'cuda-sm80'"},
      {{"--target", "cuda-sm80", "--dtype", "bf16", "--schedule", "kb=8"}, "kb=8, wanted 0"},
      {{"--target", "cuda-sm80,arm64-neon", "--dtype", "f32"}, "targets of one architecture"}};
  for (auto [arguments, message] : cases) {
    arguments.insert(arguments.end(), {"--d-model", "64", "--d-ff", "64"});
    const ProcessResult refused = generate(folder, arguments);
    EXPECT_EQ(refused.exit_code, 2) << message;
    EXPECT_THAT(refused.errors, HasSubstr(message));
  }
  EXPECT_THAT(folder.names(), IsEmpty());
}

PlannedLibrary plan(const std::string& dtypes, const std::string& schedule, bool emitter = true) {
  LibraryRequest request;
  request.ffn = {.variant = variant_named("swiglu"), .shape = {512, 1365}};
  set_dtypes(request.ffn, dtypes);
  request.targets = {Target::x86_avx2, Target::cuda_sm80};
  request.rows = {1, 8, 9, 64};
  request.cpu = cpu_profile_named("generic");
  request.schedule = schedule;
  request.tensor_cores = emitter;
  return plan_library(request);
}

/// A letter for each kernel for CUDA.
std::string kinds(const PlannedLibrary& planned) {
  std::string kinds;
  for (const LibraryKernel& kernel : planned.plan.kernels) {
    if (kernel.spec.target == Target::cuda_sm80) kinds += kernel.tensor_cores ? "t" : "s";
    if (kernel.spec.target != Target::cuda_sm80) {
      EXPECT_FALSE(kernel.tensor_cores);
    }
  }
  return kinds;
}

TEST(CudaPlan, ManyRowsOfTwoTypesAreForTensorCores) {
  EXPECT_EQ(kinds(plan("bf16", "default")), "sstt");
  EXPECT_EQ(kinds(plan("f16", "tuned")), "sstt");
  EXPECT_EQ(kinds(plan("f32", "default")), "ssss");
  EXPECT_EQ(kinds(plan("bf16_f32", "default")), "ssss");
  EXPECT_EQ(kinds(plan("bf16", "mr=1")), "ssss") << "the point is the user's";
}

TEST(CudaPlan, NotesWhatIsMissing) {
  EXPECT_THAT(plan("bf16", "default").notes, IsEmpty());
  EXPECT_THAT(plan("f32", "default", false).notes, IsEmpty()) << "nothing is missing for f32";
  const PlannedLibrary without = plan("bf16", "default", false);
  EXPECT_EQ(kinds(without), "ssss");
  EXPECT_THAT(without.notes, ElementsAre(HasSubstr("cuda-sm80: no kernels for tensor cores")));
  EXPECT_THAT(plan("bf16", "model").notes,
              ElementsAre("cuda-sm80: default schedules, since the cost model knows CPUs only"));
}

}  // namespace
}  // namespace gatefold::test
