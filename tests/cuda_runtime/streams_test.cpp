// Several streams, several threads, one block.
#include <barrier>
#include <thread>

#include "tests/cuda_runtime/cuda_test.h"

namespace gatefold::test {
namespace {

using testing::IsEmpty;

class CudaStreams : public CudaTest {
 protected:
  /// Two threads, whose kernels wait for each other in the middle: each call finds the other one.
  template <typename Work>
  void both_at_once(DeviceBlock& d, Work&& work) {
    std::barrier middle(2);
    d.launch.between = [&] { middle.arrive_and_wait(); };
    std::thread one(work, 3), two(work, 4);
    one.join();
    two.join();
    d.launch.between = [] {};
  }
};

/// Work of one stream never meets that of another in a workspace.
TEST_F(CudaStreams, StreamsHaveWorkspacesOfTheirOwn) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make();
  const Values first = d.block.input(2, 7), second = d.block.input(2, 8);
  const DeviceRows in1(first, 2, 64, 64), in2(second, 2, 64, 64), out1(first, 2, 64, 64),
      out2(second, 2, 64, 64);
  void* a = fake_cuda().make_stream();
  void* b = fake_cuda().make_stream();
  ffn.run_cuda(in1.rows(), out1.rows(), a);
  ffn.run_cuda(in2.rows(), out2.rows(), b);
  fake_cuda().finish(a, 2);  // its hidden layer, not yet its output
  fake_cuda().finish(b);
  fake_cuda().finish(a);
  expect_right(d.block, out1.read(), first, 2);
  expect_right(d.block, out2.read(), second, 2);
  fake_cuda().destroy_stream(a);
  fake_cuda().destroy_stream(b);
}

TEST_F(CudaStreams, TheSeventeenthStreamTakesOverAWorkspaceThatIsDone) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make();
  const Values x = d.block.input(1);
  const DeviceRows in(x, 1, 64, 64), out(x, 1, 64, 64);
  std::vector<void*> streams;
  for (int i = 0; i < 17; ++i) streams.push_back(fake_cuda().make_stream());
  for (int i = 0; i < 16; ++i) ffn.run_cuda(in.rows(), out.rows(), streams[static_cast<size_t>(i)]);
  fake_cuda().clear_calls();
  ffn.run_cuda(in.rows(), out.rows(), streams[16]);
  EXPECT_THAT(fake_cuda().calls(), testing::Contains("cuCtxSynchronize"));
  EXPECT_THAT(fake_cuda().calls(), testing::Not(testing::Contains("cuMemAlloc_v2")));
  EXPECT_EQ(fake_cuda().waiting(streams[0]), 0u);
  fake_cuda().finish(streams[16]);
  expect_right(d.block, out.read(), x, 1);
  for (void* stream : streams) fake_cuda().destroy_stream(stream);
}

/// The default stream under its names, and destruction with work that waits in it.
TEST_F(CudaStreams, DefaultStreams) {
  DeviceBlock d(bf16_options());
  const Values x = d.block.input(2);
  const DeviceRows in(x, 2, 64, 64), out(x, 2, 64, 64);
  for (uintptr_t name : {0, 1, 2}) {
    Ffn ffn = d.make();
    ffn.run_cuda(in.rows(), out.rows(), reinterpret_cast<void*>(name));
    EXPECT_GT(fake_cuda().waiting(reinterpret_cast<void*>(name == 1 ? 0 : name)), 0u);
  }
  expect_right(d.block, out.read(), x, 2);
}

TEST_F(CudaStreams, SeveralThreadsRunOneBlock) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make();
  const auto work = [&](uint32_t seed) {
    for (int i = 0; i < 20; ++i) {
      const Values x = d.block.input(2, seed);
      expect_right(d.block, d.block.run(ffn, x, 2), x, 2);
      EXPECT_THAT(fake_cuda().context_stack(), IsEmpty());
    }
  };
  both_at_once(d, work);
  EXPECT_EQ(ffn.report().calls, 40);
}

/// Their work is mixed in the stream, and each has a workspace of its own.
TEST_F(CudaStreams, SeveralThreadsUseOneStream) {
  DeviceBlock d(bf16_options());
  Ffn ffn = d.make();
  void* stream = fake_cuda().make_stream();
  const auto work = [&](uint32_t seed) {
    const Values x = d.block.input(2, seed);
    const DeviceRows in(x, 2, 64, 64), out(x, 2, 64, 64);
    for (int i = 0; i < 20; ++i) {
      ffn.run_cuda(in.rows(), out.rows(), stream);
      fake_cuda().finish(stream, 2);
    }
    fake_cuda().finish(stream);
    expect_right(d.block, out.read(), x, 2);
  };
  both_at_once(d, work);
  fake_cuda().destroy_stream(stream);
}

}  // namespace
}  // namespace gatefold::test
