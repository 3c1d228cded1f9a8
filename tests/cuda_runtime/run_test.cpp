// Numbers, memory and order of blocks for CUDA.
#include <algorithm>

#include "runtime/pages.h"
#include "tests/cuda_runtime/cuda_test.h"

namespace gatefold::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CudaRun : public CudaTest {};

TEST_F(CudaRun, HostMemoryOfAllVariantsShapesAndDtypes) {
  for (const char* variant : {"relu", "swiglu"})
    for (gf_dtype dtype : {GF_F32, GF_BF16})
      for (bool bias : {false, true}) {
        FakeOptions o;
        if (dtype == GF_BF16) o = bf16_options(37, 21);
        o.variant = variant;
        o.bias = bias;
        DeviceBlock d(o);
        Ffn ffn = d.make();
        for (int64_t rows : {1, 5}) {
          const Values x = d.block.input(rows);
          expect_right(d.block, d.block.run(ffn, x, rows), x, rows);
        }
      }
}

TEST_F(CudaRun, ReportTellsTheKernelAndTheDevicesTime) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make();
  EXPECT_TRUE(std::isnan(ffn.report().device_ms));
  d.run_and_compare(ffn, 3);
  const gf_report r = ffn.report();
  EXPECT_STREQ(r.kernel, "kernel_for_cuda");
  EXPECT_STREQ(r.isa, "cuda-sm80");
  EXPECT_STREQ(r.match, "exact");
  EXPECT_EQ(r.device_ms, 0.25);
  EXPECT_GT(r.last_call_ms, 0);
  EXPECT_EQ(r.rows, 3);
  EXPECT_GE(r.workspace_bytes, 3 * 96 * 4);
  EXPECT_GE(r.packed_weight_bytes, 3 * 64 * 96 * 2);
}

TEST_F(CudaRun, ReportFillsOlderStructsOnlyToTheirEnd) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make();
  gf_report r;
  std::memset(&r, 0x7e, sizeof r);
  const double before = r.device_ms;
  r.struct_size = offsetof(gf_report, device_ms);
  EXPECT_EQ(gf_ffn_report(ffn.get(), &r), GF_OK);
  EXPECT_STREQ(r.isa, "cuda-sm80");
  EXPECT_EQ(std::memcmp(&r.device_ms, &before, sizeof before), 0);
  r.struct_size -= 1;
  EXPECT_EQ(gf_ffn_report(ffn.get(), &r), GF_INVALID_ARGUMENT);
}

TEST_F(CudaRun, ALifeFromFirstToLastCall) {
  DeviceBlock d(bf16_options());
  gf_ffn* ffn = nullptr;
  ASSERT_EQ(d.create(&ffn), GF_OK);
  std::vector<std::string> created = fake_cuda().calls();
  std::erase(created, "cuDeviceGetAttribute");
  EXPECT_THAT(
      created,
      ElementsAre("cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem_v2",
                  "cuDevicePrimaryCtxRetain", "cuCtxGetCurrent", "cuCtxPushCurrent_v2",
                  "cuMemAlloc_v2", "cuStreamCreate", "cuEventCreate", "cuEventCreate",
                  "cuMemcpyHtoDAsync_v2", "cuStreamSynchronize", "cuCtxPopCurrent_v2"));
  fake_cuda().clear_calls();
  const Values x = d.block.input(2);
  std::vector<uint8_t> y(x.stored.size());
  const gf_rows in = rows_of(const_cast<void*>(x.data()), GF_BF16, 2, 64),
                out = rows_of(y.data(), GF_BF16, 2, 64);
  ASSERT_EQ(gf_ffn_run(ffn, &in, &out), GF_OK);
  EXPECT_THAT(
      fake_cuda().calls(),
      ElementsAre("cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuMemAlloc_v2", "cuMemcpy2DAsync_v2",
                  "cuMemAlloc_v2", "cuEventRecord", "cuMemAlloc_v2", "cuMemsetD8Async",
                  "cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute",
                  "cuLaunchKernel", "cuModuleGetFunction", "cuFuncGetAttribute", "cuLaunchKernel",
                  "cuEventRecord", "cuMemcpy2DAsync_v2", "cuStreamSynchronize",
                  "cuEventElapsedTime", "cuCtxPopCurrent_v2"));
  fake_cuda().clear_calls();
  gf_ffn_destroy(ffn);
  EXPECT_THAT(fake_cuda().calls(),
              ElementsAre("cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuMemFree_v2", "cuMemFree_v2",
                          "cuMemFree_v2", "cuEventDestroy_v2", "cuEventDestroy_v2",
                          "cuStreamDestroy_v2", "cuModuleUnload", "cuMemFree_v2",
                          "cuCtxPopCurrent_v2", "cuDevicePrimaryCtxRelease_v2"));
}

TEST_F(CudaRun, ACallerInTheSameContextStaysThere) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make();
  fake_cuda().push_primary_context();
  const std::vector<void*> stack = fake_cuda().context_stack();
  fake_cuda().clear_calls();
  EXPECT_LE(d.run_and_compare(ffn, 2).worst, 1);
  EXPECT_THAT(fake_cuda().calls(), testing::Not(testing::Contains("cuCtxPushCurrent_v2")));
  EXPECT_EQ(fake_cuda().context_stack(), stack);
  fake_cuda().pop_context();
}

/// Beside the launches nothing is called: no copy, no wait, no allocation.
TEST_F(CudaRun, AlignedDeviceMemoryIsUsedWhereItLies) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make();
  void* stream = fake_cuda().make_stream();
  const Values x = d.block.input(4), nothing = d.block.input(4, 9);
  const DeviceRows in(x, 4, 64, 64), out(nothing, 4, 64, 72);
  ffn.run_cuda(in.rows(), out.rows(), stream);
  fake_cuda().finish(stream);
  fake_cuda().clear_calls();
  ffn.run_cuda(in.rows(), out.rows(), stream);
  EXPECT_THAT(fake_cuda().calls(),
              ElementsAre("cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuMemsetD8Async",
                          "cuLaunchKernel", "cuLaunchKernel", "cuCtxPopCurrent_v2"));
  EXPECT_EQ(fake_cuda().waiting(stream), 3u) << "enqueued, not done";
  fake_cuda().finish(stream);
  expect_right(d.block, out.read(), x, 4);
  EXPECT_TRUE(std::isnan(ffn.report().device_ms));
  fake_cuda().destroy_stream(stream);
}

TEST_F(CudaRun, OtherDeviceMemoryIsCopiedOnTheDevice) {
  struct Case {
    int64_t d_model, x_stride, y_stride;
    size_t x_offset, y_offset;
  };
  for (const Case& c : {Case{37, 37, 37, 0, 0}, Case{64, 65, 64, 0, 0}, Case{64, 64, 64, 2, 0},
                        Case{64, 64, 67, 0, 6}, Case{40, 40, 40, 0, 0}}) {
    DeviceBlock d(bf16_options(c.d_model, 21));
    Ffn ffn = d.make();
    void* stream = fake_cuda().make_stream();
    for (int64_t rows : {1, 3}) {
      const Values x = d.block.input(rows), nothing = d.block.input(rows, 9);
      const DeviceRows in(x, rows, c.d_model, c.x_stride, c.x_offset),
          out(nothing, rows, c.d_model, c.y_stride, c.y_offset);
      ffn.run_cuda(in.rows(), out.rows(), stream);
      fake_cuda().finish(stream);
      expect_right(d.block, out.read(), x, rows);
    }
    fake_cuda().destroy_stream(stream);
  }
}

TEST_F(CudaRun, ResidualMayBeYAndMayBeX) {
  for (int64_t d_model : {64, 37}) {
    FakeOptions o = bf16_options(d_model, 21);
    o.residual = true;
    DeviceBlock d(o);
    Ffn ffn = d.make();
    const Values x = d.block.input(3), r = d.block.input(3, 8);
    std::vector<uint8_t> y(x.stored.size());
    const auto host = [&](const void* data) {
      return rows_of(const_cast<void*>(data), GF_BF16, 3, d_model);
    };
    ffn.run_residual(host(x.data()), host(r.data()), host(y.data()));
    expect_right(d.block, y, x, 3, &r);
    y = r.stored;
    ffn.run_residual(host(x.data()), host(y.data()), host(y.data()));
    expect_right(d.block, y, x, 3, &r);

    void* stream = fake_cuda().make_stream();
    const DeviceRows in(x, 3, d_model, d_model), out(r, 3, d_model, d_model);
    ffn.run_cuda(in.rows(), out.rows(), out.rows(), stream);
    fake_cuda().finish(stream);
    expect_right(d.block, out.read(), x, 3, &r);
    ffn.run_cuda(in.rows(), in.rows(), out.rows(), stream);
    fake_cuda().finish(stream);
    expect_right(d.block, out.read(), x, 3, &x);
    fake_cuda().destroy_stream(stream);
  }
}

TEST_F(CudaRun, ZeroRowsCallNothing) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make();
  fake_cuda().clear_calls();
  const gf_rows none = rows_of(nullptr, GF_BF16, 0, 64);
  ffn.run(none, none);
  ffn.run_cuda(none, none, nullptr);
  EXPECT_THAT(fake_cuda().calls(), IsEmpty());
}

/// After the first call of a row bucket memory, streams, events and modules are there.
TEST_F(CudaRun, LaterCallsAllocateNothing) {
  DeviceBlock d(bf16_options(37, 21));
  Ffn ffn = d.make();
  d.run_and_compare(ffn, 6);
  fake_cuda().clear_calls();
  d.run_and_compare(ffn, 6);
  EXPECT_THAT(fake_cuda().calls(),
              ElementsAre("cuCtxGetCurrent", "cuCtxPushCurrent_v2", "cuMemsetD2D8Async",
                          "cuMemcpy2DAsync_v2", "cuEventRecord", "cuMemsetD8Async",
                          "cuLaunchKernel", "cuLaunchKernel", "cuEventRecord", "cuMemcpy2DAsync_v2",
                          "cuStreamSynchronize", "cuEventElapsedTime", "cuCtxPopCurrent_v2"));
  const int64_t held = ffn.report().workspace_bytes;
  for (int64_t rows : {1, 6, 2}) d.run_and_compare(ffn, rows);
  EXPECT_EQ(ffn.report().workspace_bytes, held) << "fewer rows find room in what is there";
}

TEST_F(CudaRun, WorkspaceThatAKernelForgetsIsTakenBack) {
  DeviceBlock d(bf16_options());
  d.launch.keep_hidden = true;
  Ffn ffn = d.make();
  d.run_and_compare(ffn, 2);
  const int64_t held = ffn.report().workspace_bytes;
  for (int i = 0; i < 3; ++i) d.run_and_compare(ffn, 2);
  EXPECT_EQ(ffn.report().workspace_bytes, held);
}

TEST_F(CudaRun, LongCallsGoInPiecesOfAGridsHeight) {
  FakeOptions o = bf16_options(8, 1);
  o.variant = "relu";
  DeviceBlock d(o);
  Ffn ffn = d.make();
  const int64_t rows = 65536 + 9;
  fake_cuda().clear_calls();
  const Values x = d.block.input(rows);
  expect_right(d.block, d.block.run(ffn, x, rows), x, rows);
  const std::vector<std::string> calls = fake_cuda().calls();
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "cuLaunchKernel"), 4);
  EXPECT_EQ(std::count(calls.begin(), calls.end(), "cuMemAlloc_v2"), 3)
      << "the second piece has the first one's x, y and hidden layer";
}

TEST_F(CudaRun, BlocksShareTheirModules) {
  DeviceBlock d(bf16_options());
  Ffn one = d.make();
  d.run_and_compare(one, 1);
  fake_cuda().clear_calls();
  {
    Ffn two = d.make();
    d.run_and_compare(two, 1);
  }
  EXPECT_THAT(fake_cuda().calls(), testing::Not(testing::Contains("cuModuleLoadDataEx")));
  EXPECT_THAT(fake_cuda().calls(), testing::Not(testing::Contains("cuModuleUnload")));
  d.run_and_compare(one, 1);
}

TEST_F(CudaRun, PackedWeightsAreNotNeededAfterwards) {
  DeviceBlock d(bf16_options());
  const gf_options cuda = options(1, "cuda");
  const int64_t bytes = packed_bytes(*d.library, 64, 96, cuda);
  Pages memory(static_cast<size_t>(bytes));
  pack(*d.library, 64, 96, d.block.weights(), memory.data(), bytes, cuda);
  Ffn ffn(*d.library, 64, 96, memory.data(), bytes, cuda);
  std::memset(memory.data(), 0xff, static_cast<size_t>(bytes));
  EXPECT_LE(d.run_and_compare(ffn, 3).worst, 1);
}

TEST_F(CudaRun, WrongCallsAreRefused) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make(), cpu = d.make("host");
  const Values x = d.block.input(1);
  const DeviceRows in(x, 1, 64, 64), out(x, 1, 64, 64);
  const gf_rows &i = in.rows(), &o = out.rows();
  fake_cuda().clear_calls();
  EXPECT_EQ(gf_ffn_run_cuda(nullptr, &i, nullptr, &o, nullptr), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_ffn_run_cuda(ffn.get(), nullptr, nullptr, &o, nullptr), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_ffn_run_cuda(ffn.get(), &i, nullptr, nullptr, nullptr), GF_INVALID_ARGUMENT);
  EXPECT_EQ(gf_ffn_run_cuda(ffn.get(), &i, &o, &o, nullptr), GF_INVALID_ARGUMENT);
  EXPECT_THAT(gf_last_error(), HasSubstr("wanted residual NULL"));
  EXPECT_EQ(gf_ffn_run_cuda(ffn.get(), &i, nullptr, &i, nullptr), GF_OVERLAP);
  gf_rows narrow = i;
  narrow.cols = 63;
  EXPECT_EQ(gf_ffn_run_cuda(ffn.get(), &narrow, nullptr, &o, nullptr), GF_SHAPE_MISMATCH);
  EXPECT_EQ(gf_ffn_run_cuda(cpu.get(), &i, nullptr, &o, nullptr), GF_INVALID_ARGUMENT);
  EXPECT_THAT(gf_last_error(), HasSubstr("wanted one for CUDA"));
  EXPECT_THAT(fake_cuda().calls(), IsEmpty());
}

}  // namespace
}  // namespace gatefold::test
