// Which kernels a block gets where a library has some for CUDA.
#include "runtime/select.h"
#include "runtime/cuda/device.h"
#include "tests/cuda_runtime/cuda_test.h"

namespace gatefold::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CudaSelect : public CudaTest {
 protected:
  void TearDown() override {
    unsetenv("GATEFOLD_ISA");
    CudaTest::TearDown();
  }
  std::string refusal(const DeviceBlock& d, const char* isa, int device = 0) {
    gf_ffn* ffn = nullptr;
    EXPECT_STATUS(d.create(&ffn, isa, device), GF_UNAVAILABLE);
    return gf_last_error();
  }
};

TEST_F(CudaSelect, TheCpuUnlessCudaIsAskedFor) {
  const DeviceBlock d;
  for (const char* isa : {static_cast<const char*>(nullptr), "", "host", kLowestTarget}) {
    Ffn ffn = d.make(isa);
    EXPECT_STREQ(ffn.report().isa, kLowestTarget);
    EXPECT_LE(d.run_and_compare(ffn, 2).worst, 1);
  }
  for (const char* isa : {"cuda", "cuda-sm80"}) EXPECT_STREQ(d.make(isa).report().isa, "cuda-sm80");
  setenv("GATEFOLD_ISA", "cuda", 1);
  EXPECT_STREQ(d.make(nullptr).report().isa, "cuda-sm80");
  EXPECT_STREQ(d.make("host").report().isa, kLowestTarget);
  for (const char* known : {"cuda", "cuda-sm90", "host"}) {
    setenv("GATEFOLD_ISA", known, 1);
    EXPECT_EQ(isa_in_environment(), GF_OK) << "a target, whether it is there or not";
  }
  setenv("GATEFOLD_ISA", "cuda-sm", 1);
  EXPECT_EQ(isa_in_environment(), GF_UNAVAILABLE);
}

TEST_F(CudaSelect, CudaIsTheBestThatTheDeviceRuns) {
  const DeviceBlock d({}, {"cuda-sm80", "cuda-sm90", "cuda-sm100"});
  const auto chosen = [&](int capability) {
    fake_cuda().settings().capability = capability;
    const gf_report r = d.make("cuda").report();
    return std::string(r.isa) + " " + r.match;
  };
  EXPECT_EQ(chosen(80), "cuda-sm80 lower_isa");
  EXPECT_EQ(chosen(89), "cuda-sm80 lower_isa");
  EXPECT_EQ(chosen(90), "cuda-sm90 lower_isa");
  EXPECT_EQ(chosen(120), "cuda-sm100 exact");
  EXPECT_STREQ(d.make("cuda-sm80").report().match, "exact") << "as it was named";
}

TEST_F(CudaSelect, LowCapabilitiesAreNamed) {
  const DeviceBlock d({}, {"cuda-sm90"});
  for (const char* isa : {"cuda", "cuda-sm90"})
    EXPECT_EQ(refusal(d, isa), std::string(isa) +
                                   ": CUDA device 0 (Fake GPU) has compute capability 8.0, wanted "
                                   "at least 9.0");
}

TEST_F(CudaSelect, TargetsThatAreNotThere) {
  const DeviceBlock d;
  EXPECT_THAT(refusal(d, "cuda-sm90"),
              AllOf(HasSubstr("has no kernels for target 'cuda-sm90'"),
                    HasSubstr(std::string(kLowestTarget) + ", cuda-sm80")));
  EXPECT_THAT(refusal(d, "cuda-sm"), HasSubstr("is not known"));
}

TEST_F(CudaSelect, DevicesThatAreNotThere) {
  const DeviceBlock d;
  EXPECT_THAT(refusal(d, "cuda", 1), HasSubstr("cuda_device: 1, wanted 0 to 0"));
  EXPECT_THAT(refusal(d, "cuda", -1), HasSubstr("cuda_device: -1, wanted 0 to 0"));
  fake_cuda().settings().devices = 0;
  EXPECT_THAT(refusal(d, "cuda"), HasSubstr("isa: target 'cuda': the CUDA driver sees no device"));
}

TEST_F(CudaSelect, LibrariesForCudaAloneSayHowToUseThem) {
  DeviceBlock d;
  d.block.fake.table.kernels += 3;
  d.block.fake.table.kernel_count -= 3;
  EXPECT_THAT(refusal(d, nullptr), HasSubstr("those for CUDA are used if isa is 'cuda'"));
  EXPECT_STREQ(d.make("cuda").report().isa, "cuda-sm80");
}

TEST_F(CudaSelect, UsableTargets) {
  EXPECT_EQ(gf_isa_usable("cuda-sm80"), 1);
  EXPECT_EQ(gf_isa_usable("cuda-sm90"), 0);
  EXPECT_EQ(gf_isa_usable("cuda"), 0);
  EXPECT_EQ(gf_isa_usable("cuda-sm"), 0);
  EXPECT_EQ(gf_isa_usable("opencl"), 0);
  fake_cuda().settings().capability = 120;
  EXPECT_EQ(gf_isa_usable("cuda-sm90"), 1);
}

TEST_F(CudaSelect, OptionsOfOlderCallersMeanDeviceZero) {
  const DeviceBlock d;
  const FakeOptions& o = d.block.fake.options;
  const gf_ffn_desc desc = {sizeof desc, o.d_model, o.d_ff, nullptr};
  const gf_ffn_weights weights = d.block.weights();
  gf_options settings = options(1, "cuda");
  settings.cuda_device = 7;
  settings.reserved = 7;
  settings.struct_size = offsetof(gf_options, cuda_device);
  gf_ffn* ffn = nullptr;
  EXPECT_STATUS(gf_ffn_create(d.library->get(), &desc, &weights, &settings, &ffn), GF_OK);
  gf_ffn_destroy(ffn);
  settings.struct_size = sizeof settings;
  settings.cuda_device = 0;
  EXPECT_STATUS(gf_ffn_create(d.library->get(), &desc, &weights, &settings, &ffn),
                GF_INVALID_ARGUMENT);
  EXPECT_STREQ(gf_last_error(), "options: reserved 7, wanted 0");
}

}  // namespace
}  // namespace gatefold::test
