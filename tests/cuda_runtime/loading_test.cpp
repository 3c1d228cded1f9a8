// Finding the driver, in processes of their own: a process loads it once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gatefold/gatefold.h"
#include "tests/cli/gatefold_process.h"
#include "tests/runtime/host_targets.h"

namespace gatefold::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

using Environment = std::vector<std::string>;

/// The probe with a driver of one of the folders that the build made.
std::string probe(const std::string& folder, Environment environment = {}) {
  environment.push_back("LD_LIBRARY_PATH=" GATEFOLD_FAKE_DRIVERS "/" + folder);
  const Outcome outcome =
      gatefold({}, {.environment = environment, .program = GATEFOLD_CUDA_PROBE});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

TEST(CudaLoading, BothNamesAreTried) {
  for (const char* folder : {"driver", "plain_name"})
    EXPECT_THAT(probe(folder), AllOf(HasSubstr("usable: yes\nreason: \nversion: 12040\n"),
                                     HasSubstr("forced: GF_OK")));
}

/// The CPU's kernels run, and nobody looks for a driver for them.
TEST(CudaLoading, WithoutADriverTheCpuRuns) {
  const std::string out = probe("none");
  EXPECT_THAT(out, HasSubstr("cpu: " + std::string(kLowestTarget) + ", right\nloaded: no\n"));
  EXPECT_THAT(out, HasSubstr("usable: no\nreason: no CUDA driver: "));
  EXPECT_THAT(out, HasSubstr("libcuda.so.1"));
  EXPECT_THAT(out, HasSubstr("forced: GF_UNAVAILABLE: isa: target 'cuda': no CUDA driver: "));
}

TEST(CudaLoading, ADriverIsOnlyLoadedWhenAskedFor) {
  EXPECT_THAT(probe("driver"), HasSubstr("right\nloaded: no\n"));
}

TEST(CudaLoading, AMissingFunctionIsNamed) {
  EXPECT_THAT(probe("lacking"),
              HasSubstr("reason: the CUDA driver has no function cuFuncSetAttribute\n"));
}

TEST(CudaLoading, AnOldDriverIsNamedBeforeWhatItLacks) {
  EXPECT_THAT(probe("lacking", {"FAKE_CUDA_VERSION=10020"}),
              HasSubstr("reason: the CUDA driver is of CUDA 10.2, wanted 11.0 or newer\n"));
}

TEST(CudaLoading, InitialisationThatFailsTellsTheError) {
  EXPECT_THAT(
      probe("driver", {"FAKE_CUDA_INIT=100"}),
      AllOf(HasSubstr("usable: no\nreason: cuInit: CUDA_ERROR_NO_DEVICE (no CUDA-capable device"),
            HasSubstr("forced: GF_UNAVAILABLE: isa: target 'cuda': cuInit: CUDA_ERROR_NO_DEVICE")));
  EXPECT_THAT(probe("driver", {"FAKE_CUDA_INIT=803"}), HasSubstr("reason: cuInit: error 803\n"));
}

TEST(CudaLoading, NoDeviceAndALowCapability) {
  EXPECT_THAT(probe("driver", {"FAKE_CUDA_DEVICES=0"}),
              HasSubstr("reason: the CUDA driver sees no device\n"));
  EXPECT_THAT(probe("driver", {"FAKE_CUDA_CAPABILITY=75"}),
              HasSubstr("reason: CUDA: CUDA device 0 (Fake GPU) has compute capability 7.5, wanted "
                        "at least 8.0\n"));
}

nlohmann::json doctor(const std::string& folder) {
  const Outcome outcome =
      gatefold({"doctor", "--threads", "1", "--json"},
               {.environment = {"LD_LIBRARY_PATH=" GATEFOLD_FAKE_DRIVERS "/" + folder}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.json()["cuda"];
}

TEST(CudaDoctor, TellsTheDevice) {
  const nlohmann::json cuda = doctor("driver");
  EXPECT_EQ(cuda["usable"], true);
  EXPECT_TRUE(cuda["reason"].is_null());
  EXPECT_EQ(cuda["driver"], "12.4");
  EXPECT_EQ(cuda["devices"], 1);
  EXPECT_EQ(cuda["device"], "Fake GPU");
  EXPECT_EQ(cuda["capability"], "8.0");
  EXPECT_EQ(cuda["memory_bytes"], int64_t{80} << 30);
}

TEST(CudaDoctor, TellsWhyNot) {
  const nlohmann::json cuda = doctor("none");
  EXPECT_EQ(cuda["usable"], false);
  EXPECT_THAT(cuda["reason"].get<std::string>(), HasSubstr("no CUDA driver: "));
  for (const char* unknown : {"driver", "device", "capability", "memory_bytes"})
    EXPECT_TRUE(cuda[unknown].is_null()) << unknown;
}

TEST(CudaDoctor, TellsPeopleToo) {
  const auto text = [](const std::string& folder) {
    return gatefold({"doctor", "--threads", "1"},
                    {.environment = {"LD_LIBRARY_PATH=" GATEFOLD_FAKE_DRIVERS "/" + folder}})
        .out;
  };
  EXPECT_THAT(text("driver"),
              HasSubstr("CUDA: Fake GPU, compute capability 8.0, 80 GiB, driver of CUDA 12.4\n"));
  EXPECT_THAT(text("none"), HasSubstr("CUDA: not usable: no CUDA driver: "));
}

}  // namespace
}  // namespace gatefold::test
