// Generated libraries with kernels for CUDA: on the fake driver, which interprets their PTX, and
// on a machine without one.
#include <algorithm>
#include <set>

#include "accuracy/accuracy.h"
#include "accuracy/ffn_data.h"
#include "spec/point.h"
#include "tests/cli/block_files.h"
#include "tests/cli/gatefold_process.h"
#include "tests/cuda_runtime/cuda_test.h"
#include "tests/cuda_runtime/interpreted_device.h"
#include "tests/formats/files.h"
#include "tests/support/paths.h"

namespace gatefold::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string manifest_of(const std::string& name) {
  return binary_dir() + "/tests/cuda_runtime/" + name + "/" + name + ".json";
}

class Generated : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    interpret_launches();
  }
};

/// All that `check` does: packing, upload, staging, launches and the kernels' own code.
void expect_accurate(const std::string& name) {
  const LoadedLibrary library(manifest_of(name));
  AccuracyOptions options;
  options.target = "cuda";
  options.rows = {3};
  options.shapes = {{37, 85}};
  const AccuracyResult result = check_accuracy(library, options);
  EXPECT_TRUE(result.ok);
  std::set<std::string> kernels;
  for (const AccuracyCell& cell : result.cells) {
    EXPECT_EQ(cell.target, "cuda-sm80");
    kernels.insert(cell.kernel);
    EXPECT_TRUE(cell.ok) << cell.kernel << ", " << cell.rows << " " << cell.values
                         << " rows: " << cell.note;
  }
  EXPECT_EQ(kernels.size(), 2u) << "of few rows, and of many";
}

TEST_F(Generated, AreRightOnADevice) { expect_accurate("cuda_mixed"); }

TEST_F(Generated, AreRightInAnySizesWithAllThatABlockMayAdd) { expect_accurate("cuda_any"); }

/// Both kinds of kernels read what was uploaded once.
TEST_F(Generated, KernelsOfAllRowsShareOneUpload) {
  const LoadedLibrary library(manifest_of("cuda_mixed"));
  const FfnData data(library.ffn(), 1, 1);
  fake_cuda().clear_calls();
  const gatefold::Block block = library.create(library.ffn().shape, data.weights(), 1, "cuda");
  const auto count = [](const char* name) {
    const auto calls = fake_cuda().calls();
    return std::count(calls.begin(), calls.end(), name);
  };
  EXPECT_EQ(count("cuMemcpyHtoDAsync_v2"), 1);
  std::string points;
  for (const int64_t rows : {1, 9, 1, 9}) {
    std::vector<uint8_t> x = stored_as(DType::bf16, data.x(0, rows)), y(x.size());
    const gf_rows in = dense_rows(x.data(), DType::bf16, rows, 64),
                  out = dense_rows(y.data(), DType::bf16, rows, 64);
    ASSERT_STATUS(gf_ffn_run(block.get(), &in, &out), GF_OK);
    points += is_tensor_core_point(report_of(block.get()).point) ? "t" : "s";
  }
  EXPECT_EQ(count("cuMemcpyHtoDAsync_v2"), 1);
  EXPECT_EQ(count("cuModuleLoadDataEx"), 2);
  if (points == "ssss") GTEST_SKIP() << "this build has no generator of tensor-core kernels";
  EXPECT_EQ(points, "stst");
}

/// The program, where the loader finds no driver.
Outcome without_driver(const std::vector<std::string>& arguments) {
  return gatefold(arguments, {.environment = {"LD_LIBRARY_PATH=" GATEFOLD_FAKE_DRIVERS "/none"}});
}

class GeneratedAlone : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  }
  std::vector<std::string> run_command(const std::string& library) const {
    return {"run",        "--library",    manifest_of(library),
            "--weights",  files_.weights, "--input",
            files_.input, "--output",     files_.output,
            "--gate",     "gate",         "--up",
            "up",         "--down",       "down",
            "--json"};
  }

  TempFolder folder_;
  SwigluFiles files_{folder_.path().string(), 5};
};

TEST_F(GeneratedAlone, TheCpuRunsWhatHasKernelsForBoth) {
  const Outcome run = without_driver(run_command("cuda_mixed"));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.json()["isa"], "x86-avx2");
  const Outcome bench = without_driver({"bench", "--library", manifest_of("cuda_mixed"), "--rows",
                                        "1,9", "--seconds", "0.1", "--threads", "1", "--json"});
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
  EXPECT_EQ(bench.json()["isa"], "x86-avx2");
}

TEST_F(GeneratedAlone, CheckSaysWhyItLeftOutADevice) {
  const Outcome check = without_driver({"check", "--library", manifest_of("cuda_mixed")});
  EXPECT_EQ(check.exit_code, 0) << check.err;
  EXPECT_THAT(check.err, AllOf(HasSubstr("cuda-sm80: no CUDA driver: "),
                               HasSubstr("; its kernels were not checked")));
}

TEST_F(GeneratedAlone, WhatIsForcedOntoADeviceSaysWhyNot) {
  auto forced = run_command("cuda_mixed");
  forced.insert(forced.end(), {"--isa", "cuda"});
  const std::vector<std::vector<std::string>> commands = {
      forced,
      {"check", "--library", manifest_of("cuda_any")},
      {"check", "--library", manifest_of("cuda_mixed"), "--target", "cuda-sm80"},
      {"bench", "--library", manifest_of("cuda_mixed"), "--isa", "cuda"}};
  for (const auto& command : commands) {
    const Outcome outcome = without_driver(command);
    EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("no CUDA driver: "));
  }
}

TEST_F(GeneratedAlone, BenchRefusesADevice) {
  const Outcome outcome =
      gatefold({"bench", "--library", manifest_of("cuda_mixed"), "--isa", "cuda-sm80"},
               {.environment = {"LD_LIBRARY_PATH=" GATEFOLD_FAKE_DRIVERS "/driver"}});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("--isa: 'cuda-sm80' is of a device (cuda)"));
}

}  // namespace
}  // namespace gatefold::test
