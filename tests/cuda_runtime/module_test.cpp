// Modules and launches that this driver or this device refuses, and what is said of them.
#include "runtime/cuda/ptx_header.h"
#include "tests/cuda_runtime/cuda_test.h"
#include "tests/cuda_runtime/device_kernels.h"

namespace gatefold::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class CudaModule : public CudaTest {
 protected:
  /// Runs one row, which fails with this status; the message.
  std::string message_of(DeviceBlock& d, gf_status wanted, int64_t rows = 1) {
    gf_ffn* ffn = nullptr;
    EXPECT_EQ(d.create(&ffn), GF_OK) << gf_last_error();
    const Values x = d.block.input(rows);
    std::vector<uint8_t> y(x.stored.size(), 0xee);
    const gf_rows in = rows_of(const_cast<void*>(x.data()), GF_BF16, rows, 64),
                  out = rows_of(y.data(), GF_BF16, rows, 64);
    EXPECT_STATUS(gf_ffn_run(ffn, &in, &out), wanted);
    const std::string message = gf_last_error();
    EXPECT_THAT(y, testing::Each(0xee)) << "untouched";
    gf_ffn_destroy(ffn);
    return message;
  }
  void set_ptx(DeviceBlock& d, const std::string& text, int capability = 80) {
    d.ptx = text;
    d.module = {d.ptx.c_str(), d.ptx.size(), capability, 0};
  }
};

TEST_F(CudaModule, OfANewerDriverNamesBothVersionsAndTheCompilersLog) {
  DeviceBlock d(bf16_options());
  set_ptx(d, two_entries("8.6"));
  EXPECT_THAT(
      message_of(d, GF_UNAVAILABLE),
      AllOf(HasSubstr("cuModuleLoadDataEx: CUDA_ERROR_UNSUPPORTED_PTX_VERSION"),
            HasSubstr("PTX 8.6 for sm_80, for drivers of CUDA 12.7 or newer"),
            HasSubstr("the driver is of CUDA 12.4"),
            HasSubstr("device 0 (Fake GPU) has compute capability 8.0, wanted at least 8.0"),
            HasSubstr("ptxas application ptx input, line 1; fatal   : Unsupported .version")));
}

TEST_F(CudaModule, OfABetterDeviceNamesBothCapabilitiesAndIsNotLoaded) {
  DeviceBlock d(bf16_options());
  set_ptx(d, two_entries("8.0", "sm_90a"), 90);
  fake_cuda().clear_calls();
  EXPECT_THAT(message_of(d, GF_UNAVAILABLE),
              AllOf(HasSubstr("PTX 8.0 for sm_90a"), HasSubstr("has compute capability 8.0"),
                    HasSubstr("wanted at least 9.0")));
  EXPECT_THAT(fake_cuda().calls(), Not(Contains("cuModuleLoadDataEx")));
}

TEST_F(CudaModule, MustBeText) {
  DeviceBlock d(bf16_options());
  d.module.bytes -= 1;
  EXPECT_THAT(message_of(d, GF_BAD_LIBRARY), HasSubstr("ends with NUL"));
  d.module = {nullptr, 0, 80, 0};
  message_of(d, GF_BAD_LIBRARY);
  set_ptx(d, std::string("\0x", 2));
  message_of(d, GF_BAD_LIBRARY);
}

TEST_F(CudaModule, WithoutTheEntryNamesIt) {
  DeviceBlock d(bf16_options());
  d.launch.entry = "no_such_entry";
  EXPECT_THAT(message_of(d, GF_DEVICE_FAILED),
              AllOf(HasSubstr("cuModuleGetFunction: entry 'no_such_entry'"),
                    HasSubstr("CUDA_ERROR_NOT_FOUND (named symbol not found)")));
}

TEST_F(CudaModule, SharedMemoryAboveWhatBlocksGetIsAskedForOnce) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make();
  d.launch.shared_bytes = 49152 - 1024;  // beside the module's own 1024
  d.run_and_compare(ffn, 1);
  EXPECT_THAT(fake_cuda().calls(), Not(Contains("cuFuncSetAttribute")));
  for (uint32_t bytes : {49152u, 100000u, 166912u - 1024u}) {
    d.launch.shared_bytes = bytes;
    EXPECT_LE(d.run_and_compare(ffn, 1).worst, 1);
    EXPECT_THAT(fake_cuda().calls(), Contains("cuFuncSetAttribute")) << bytes;
    fake_cuda().clear_calls();
    EXPECT_LE(d.run_and_compare(ffn, 1).worst, 1);
    EXPECT_THAT(fake_cuda().calls(), Not(Contains("cuFuncSetAttribute"))) << bytes;
  }
  d.launch.shared_bytes = 50000;
  EXPECT_LE(d.run_and_compare(ffn, 1).worst, 1);
  EXPECT_THAT(fake_cuda().calls(), Not(Contains("cuFuncSetAttribute")))
      << "less is never asked for";
}

TEST_F(CudaModule, SharedMemoryBeyondTheDevicesIsRefused) {
  DeviceBlock d(bf16_options());
  d.launch.shared_bytes = 166912 - 1023;
  EXPECT_THAT(message_of(d, GF_KERNEL_FAILED),
              AllOf(HasSubstr("entry 'hidden_layer': 165889 bytes of shared memory beside 1024"),
                    HasSubstr("has 166912 for a block")));
}

TEST_F(CudaModule, GridsAndBlocksBeyondTheDevicesAreRefused) {
  DeviceBlock d(bf16_options());
  d.launch.grid_y = 65536;
  EXPECT_THAT(
      message_of(d, GF_KERNEL_FAILED),
      HasSubstr("entry 'hidden_layer': grid 1 x 65536 x 1, wanted 1 to 2147483647 x 65535 x "
                "65535"));
  d.launch.grid_y = 0;
  EXPECT_THAT(message_of(d, GF_KERNEL_FAILED), HasSubstr("grid 1 x 0 x 1"));
  d.launch.grid_y = 65535;
  for (uint32_t threads : {0u, 1025u, 1u << 31}) {
    d.launch.threads = threads;
    EXPECT_THAT(message_of(d, GF_KERNEL_FAILED), HasSubstr("threads, wanted 1 to 1024 in all"));
  }
}

TEST(PtxHeader, IsReadFromTheDirectives) {
  const auto of = [](const std::string& text) {
    const gf_module module = {text.c_str(), text.size(), 80, 0};
    const cuda::PtxHeader header = cuda::ptx_header(module);
    return std::string(header.version) + " " + std::string(header.target);
  };
  EXPECT_EQ(of("//\n// Generated\n//\n\n.version 7.1\n.target sm_86\n"), "7.1 sm_86");
  EXPECT_EQ(of("  .version\t8.0 // .version 9.9\r\n\t.target sm_90a, texmode_independent"),
            "8.0 sm_90a");
  EXPECT_EQ(of("// .version 1.0\n.versions 2.0\n.version"), "? ?");
  EXPECT_EQ(of("x"), "? ?");
}

TEST(PtxHeader, VersionsHaveTheirCuda) {
  EXPECT_EQ(cuda::cuda_version_for("7.1"), 11010);
  EXPECT_EQ(cuda::cuda_version_for("8.5"), 12050);
  EXPECT_EQ(cuda::cuda_version_for("8.6"), 12070);
  EXPECT_EQ(cuda::cuda_version_for("8.8"), 12090);
  EXPECT_EQ(cuda::cuda_version_for("9.0"), 13000);
  for (const char* unknown : {"6.5", "12.0", "8", "8.", "x", ""})
    EXPECT_EQ(cuda::cuda_version_for(unknown), 0) << unknown;
}

}  // namespace
}  // namespace gatefold::test
