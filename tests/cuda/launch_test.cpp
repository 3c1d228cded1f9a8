// The host side of CUDA kernels, linked into a library: what it launches through the hooks, and
// what it does when a device fails.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "generator/library.h"
#include "tests/cuda/assembled.h"
#include "tests/cuda/fake_device.h"
#include "tests/support/paths.h"
#include "tests/support/temporary_folder.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int64_t kModel = 4096, kFf = 11008;

/// A library, loaded as it is: by default of a kernel for one row.
class CudaLibrary {
 public:
  explicit CudaLibrary(const FfnSpec& ffn, const std::vector<int64_t>& rows = {1},
                       Target target = Target::cuda_sm80) {
    LibraryPlan plan{.name = "block", .ffn = ffn, .kernels = {}};
    for (const int64_t count : rows) plan.kernels.push_back({cuda_kernel(ffn, target, count), {}});
    LibraryOptions options;
    options.emitter = std::filesystem::path(binary_dir()) / "gatefold-emit";
    options.directory = folder_.path();
    options.shared_only = true;
    handle_ = dlopen(build_library(plan, options).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw std::runtime_error(dlerror());
  }
  ~CudaLibrary() { dlclose(handle_); }
  const gf_kernel& kernel(int i) const {
    using Table = const gf_kernel_table* (*)();
    return reinterpret_cast<Table>(dlsym(handle_, "gatefold_kernels"))()->kernels[i];
  }

 private:
  TemporaryFolder folder_;
  void* handle_;
};

FfnSpec block() {
  return {.variant = variant_named("swiglu"), .dtype = DType::f32, .shape = {kModel, kFf}};
}

std::vector<std::string> entries(const FakeDevice& device) {
  std::vector<std::string> names;
  for (const FakeLaunch& launch : device.launches) names.push_back(launch.entry);
  return names;
}

TEST(CudaLaunch, AKernelIsWhatItsStagesAre) {
  FfnSpec ffn = block();
  ffn.bias = ffn.residual = true;
  const CudaLibrary library(ffn);
  FakeDevice device;
  ASSERT_EQ(device.call(library.kernel(0), kModel, kFf, 1, 3, true), 0) << device.error;
  EXPECT_EQ(device.complaint, "");
  EXPECT_THAT(entries(device), testing::ElementsAre(HasSubstr("x_packed"), HasSubstr("hidden"),
                                                    HasSubstr("down"), HasSubstr("y")));
  EXPECT_THAT(device.memory, IsEmpty());
  EXPECT_EQ(device.allocations, 3);
  EXPECT_EQ(device.error, "");
}

TEST(CudaLaunch, ManyRowsTakeMoreBlocksAndTheSameModuleEachTime) {
  const CudaLibrary library(block(), {1, 256});
  FakeDevice few, many;
  for (int call = 0; call < 2; ++call) {
    ASSERT_EQ(few.call(library.kernel(1), kModel, kFf, 64, 0, false), 0) << few.error;
    ASSERT_EQ(many.call(library.kernel(1), kModel, kFf, 100000, 0, false), 0) << many.error;
  }
  EXPECT_EQ(few.complaint + many.complaint, "");
  ASSERT_EQ(few.launches.size(), many.launches.size());
  for (size_t i = 0; i < few.launches.size(); ++i) {
    EXPECT_GT(many.launches[i].grid[0], 1000 * few.launches[i].grid[0] / 2);
    EXPECT_EQ(few.launches[i].module, many.launches[0].module);
    EXPECT_EQ(many.launches[i].module, many.launches[0].module);
  }
  FakeDevice one;
  ASSERT_EQ(one.call(library.kernel(0), kModel, kFf, 1, 0, false), 0) << one.error;
  EXPECT_NE(one.launches[0].module, many.launches[0].module);
}

TEST(CudaLaunch, TheModuleSaysWhatItNeeds) {
  for (const auto& [target, capability] :
       {std::pair{Target::cuda_sm80, 80}, std::pair{Target::cuda_sm90, 86}}) {
    const CudaLibrary library(block(), {1}, target);
    FakeDevice device;
    ASSERT_EQ(device.call(library.kernel(0), kModel, kFf, 1, 0, false), 0);
    const gf_module& module = *device.launches[0].module;
    EXPECT_EQ(module.capability, capability);
    EXPECT_EQ(module.ptx[module.bytes], '\0');
    EXPECT_THAT(std::string(module.ptx),
                HasSubstr("\n.target sm_" + std::to_string(capability) + "\n"));
  }
}

TEST(CudaLaunch, AFailedLaunchEndsTheCall) {
  const CudaLibrary library(block());
  FakeDevice whole;
  ASSERT_EQ(whole.call(library.kernel(0), kModel, kFf, 1, 0, false), 0);
  for (size_t failing = 0; failing < whole.launches.size(); ++failing) {
    FakeDevice device;
    device.launch_that_fails = int(failing);
    EXPECT_EQ(device.call(library.kernel(0), kModel, kFf, 1, 0, false), -23) << failing;
    EXPECT_EQ(device.launches.size(), failing + 1);
    EXPECT_THAT(device.memory, IsEmpty()) << failing;
    EXPECT_EQ(device.complaint, "");
  }
}

TEST(CudaLaunch, MemoryThatIsNotThereEndsTheCall) {
  const CudaLibrary library(block());
  for (int failing = 0; failing < 3; ++failing) {
    FakeDevice device;
    device.allocation_that_fails = failing;
    EXPECT_EQ(device.call(library.kernel(0), kModel, kFf, 1, 0, false), -16) << failing;
    EXPECT_THAT(device.memory, IsEmpty()) << failing;
  }
}

TEST(CudaLaunch, RowsThatIndicesCannotCountAreRefused) {
  const CudaLibrary library(block());
  FakeDevice device;
  EXPECT_EQ(device.call(library.kernel(0), kModel, kFf, 200000, 0, false), -5);
  EXPECT_EQ(device.error, "more rows than 32-bit sizes hold");
  EXPECT_THAT(device.memory, IsEmpty());
}

TEST(CudaLaunch, WithoutADeviceTheCallSaysSo) {
  const CudaLibrary library(block());
  FakeDevice device;
  device.present = false;
  EXPECT_NE(device.call(library.kernel(0), kModel, kFf, 1, 0, false), 0);
  EXPECT_EQ(device.error, "a kernel for CUDA, but the runtime has no device");
  EXPECT_THAT(device.launches, IsEmpty());
}

}  // namespace
}  // namespace gatefold::test
