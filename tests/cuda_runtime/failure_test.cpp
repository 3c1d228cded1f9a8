// What fails, at every call of the driver: the context stack, the stream, and what is held.
#include "tests/cuda_runtime/cuda_test.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;

constexpr int kUnknown = 999;

class CudaFailure : public CudaTest {
 protected:
  /// Creates a block, runs it in host memory and in device memory; the first status that is not
  /// GF_OK. The failure comes before the block is destroyed.
  gf_status whole_life(const DeviceBlock& d) {
    gf_ffn* ffn = nullptr;
    gf_status status = d.create(&ffn);
    EXPECT_EQ(ffn != nullptr, status == GF_OK);
    EXPECT_EQ(fake_cuda().context_stack(), stack_);
    if (status == GF_OK) status = run_twice(d, ffn);
    const std::string message = gf_last_error();
    failed_call_ = fake_cuda().failed_call();
    fake_cuda().fail_never();
    if (status != GF_OK) {
      EXPECT_THAT(message, HasSubstr("CUDA_ERROR_UNKNOWN (unknown error)"));
    }
    if (ffn) {
      EXPECT_EQ(run_in_host_memory(d, ffn), GF_OK) << failed_call_ << gf_last_error();
    }
    gf_ffn_destroy(ffn);
    return status;
  }

  gf_status run_twice(const DeviceBlock& d, gf_ffn* ffn) {
    const gf_status status = run_in_host_memory(d, ffn);
    return status == GF_OK ? run_in_device_memory(d, ffn) : status;
  }

  gf_status run_in_host_memory(const DeviceBlock& d, gf_ffn* ffn) {
    const Values x = d.block.input(3);
    std::vector<uint8_t> y(x.stored.size());
    const gf_rows in = rows_of(const_cast<void*>(x.data()), GF_BF16, 3, 37),
                  out = rows_of(y.data(), GF_BF16, 3, 37);
    const gf_status status = gf_ffn_run(ffn, &in, &out);
    EXPECT_EQ(fake_cuda().context_stack(), stack_);
    if (status == GF_OK) expect_right(d, x, y);
    return status;
  }

  /// On the caller's stream, which must have nothing but the call's own work in it.
  gf_status run_in_device_memory(const DeviceBlock& d, gf_ffn* ffn) {
    const Values x = d.block.input(3);
    const DeviceRows in(x, 3, 37, 37), out(x, 3, 37, 37);
    void* stream = fake_cuda().make_stream();
    const gf_status status = gf_ffn_run_cuda(ffn, &in.rows(), nullptr, &out.rows(), stream);
    EXPECT_EQ(fake_cuda().context_stack(), stack_);
    EXPECT_EQ(fake_cuda().waiting(stream) == 6, status == GF_OK);
    fake_cuda().finish(stream);
    if (status == GF_OK) expect_right(d, x, out.read());
    fake_cuda().destroy_stream(stream);
    return status;
  }

  void expect_right(const DeviceBlock& d, const Values& x, const std::vector<uint8_t>& y) {
    const Comparison c = compare(widened(y, GF_BF16), d.block.expected(x, 3), d.block.limits());
    EXPECT_LE(c.worst, 1);
  }

  /// Every call of a life fails once; how many there were.
  int fail_each(const DeviceBlock& d, bool done) {
    for (int n = 0;; ++n) {
      fake_cuda().fail_after(n, kUnknown, done);
      const gf_status status = whole_life(d);
      if (failed_call_.empty() || HasFailure()) return n;
      // A caller has nothing of the time on the device, and of a context that went away.
      const bool told =
          failed_call_ != "cuEventElapsedTime" && failed_call_ != "cuCtxPopCurrent_v2";
      EXPECT_EQ(status, told ? GF_DEVICE_FAILED : GF_OK) << failed_call_;
      SCOPED_TRACE(failed_call_);
      expect_clean();
    }
  }

  std::string failed_call_;
};

/// With the caller's context current or none, and with pushes and pops that fail before or after
/// they did what they are for.
TEST_F(CudaFailure, AtAnyCallLeavesThingsAsTheyWere) {
  const DeviceBlock d(bf16_options(37, 21));
  for (const bool callers_context : {false, true}) {
    if (callers_context) fake_cuda().push_new_context();
    stack_ = fake_cuda().context_stack();
    for (const bool done : {false, true}) EXPECT_GT(fail_each(d, done), 40);
    if (callers_context) fake_cuda().pop_context();
    stack_ = fake_cuda().context_stack();
  }
}

TEST_F(CudaFailure, WhileABlockIsDestroyedLeavesTheContextStack) {
  const DeviceBlock d(bf16_options(37, 21));
  for (const bool done : {false, true}) {
    for (int n = 0;; ++n) {
      gf_ffn* ffn = nullptr;
      ASSERT_EQ(d.create(&ffn), GF_OK) << gf_last_error();
      ASSERT_EQ(run_twice(d, ffn), GF_OK);
      fake_cuda().fail_after(n, kUnknown, done);
      gf_ffn_destroy(ffn);
      const std::string failed_call = fake_cuda().failed_call();
      fake_cuda().fail_never();
      EXPECT_EQ(fake_cuda().context_stack(), stack_) << failed_call;
      // Without the context nothing in it can be freed: it goes with the context itself.
      const bool entered = failed_call != "cuCtxGetCurrent" && failed_call != "cuCtxPushCurrent_v2";
      if (entered) expect_clean();
      fake_cuda().reset();
      fake_cuda().forget_held();
      if (failed_call.empty()) break;
      EXPECT_LT(n, 100);
    }
  }
}

TEST_F(CudaFailure, OfAllocationsIsOutOfMemory) {
  const DeviceBlock d(bf16_options(37, 21));
  fake_cuda().clear_calls();
  gf_ffn* ffn = nullptr;
  ASSERT_EQ(d.create(&ffn), GF_OK);
  const std::vector<std::string> calls = fake_cuda().calls();
  const auto first = std::find(calls.begin(), calls.end(), "cuMemAlloc_v2") - calls.begin();
  gf_ffn_destroy(ffn);
  fake_cuda().fail_after(static_cast<int>(first), 2, false);
  EXPECT_EQ(d.create(&ffn), GF_OUT_OF_MEMORY);
  EXPECT_STREQ(gf_last_error(), "cuMemAlloc_v2: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
}

/// A kernel that fails by itself, after it has enqueued its work.
TEST_F(CudaFailure, OfAKernelIsTold) {
  DeviceBlock d(bf16_options(37, 21));
  d.launch.result = -7;
  gf_ffn* ffn = nullptr;
  ASSERT_EQ(d.create(&ffn), GF_OK);
  EXPECT_EQ(run_in_host_memory(d, ffn), GF_KERNEL_FAILED);
  EXPECT_THAT(gf_last_error(), HasSubstr("kernel 'kernel_for_cuda': error -7"));
  d.launch.result = 0;
  EXPECT_EQ(run_in_host_memory(d, ffn), GF_OK);
  gf_ffn_destroy(ffn);
}

}  // namespace
}  // namespace gatefold::test
