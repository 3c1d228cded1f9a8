#include <gtest/gtest.h>

#include "tests/ptx/interpreter.h"
#include "tests/ptx/single_cases.h"
#include "tests/ptx/warp_kernels.h"

namespace gatefold::ptx {
namespace {

struct Pipelined {
  std::vector<uint32_t> sums;
  Summary summary;
};

Pipelined run_pipeline(const std::string& kernel, uint32_t steps) {
  std::vector<uint32_t> words(size_t{steps} * 256);
  for (uint32_t i = 0; i < words.size(); ++i) words[i] = i * i;
  Memory memory;
  const uint64_t in = memory.upload(words, "in"), out = memory.allocate(256, "out");
  Launch launch;
  launch.block = {64, 1, 1};
  launch.shared_bytes = 2048;
  launch.parameter(in).parameter(out).parameter(steps);
  Pipelined result;
  result.summary = run(parse(module_header() + kernel), "pipeline", launch, memory);
  result.sums = memory.download<uint32_t>(out, 64);
  return result;
}

std::string fault_of(const std::string& kernel) {
  try {
    run_pipeline(kernel, 5);
  } catch (const Fault& fault) {
    return fault.reason;
  }
  return "";
}

TEST(Pipeline, CopiesAheadAndAddsUp) {
  for (const uint32_t steps : {1u, 2u, 7u}) {
    const Pipelined found = run_pipeline(pipeline_kernel(), steps);
    for (uint32_t thread = 0; thread < 64; ++thread) {
      uint32_t wanted = 0;
      for (uint32_t step = 0; step < steps; ++step) {
        const uint32_t i = step * 256 + 4 * (63 - thread);
        wanted += i * i;
      }
      EXPECT_EQ(found.sums[thread], wanted) << steps << " steps, thread " << thread;
    }
    EXPECT_EQ(found.summary.copies_left_pending, 64u) << "the empty copy behind the last step";
    EXPECT_EQ(found.summary.async_copies, 2 * (steps + 1)) << "by two warps";
  }
}

TEST(Pipeline, MissingWaitIsCaught) {
  EXPECT_NE(fault_of(pipeline_kernel("")).find("still being copied"), std::string::npos);
}

TEST(Pipeline, WrongWaitCountIsCaught) {
  const std::string reason = fault_of(pipeline_kernel("cp.async.wait_group 2;"));
  EXPECT_NE(reason.find("still being copied"), std::string::npos) << reason;
}

TEST(Pipeline, WaitingForMoreThanNeededIsRight) {
  EXPECT_EQ(fault_of(pipeline_kernel("cp.async.wait_group 0;")), "");
}

TEST(Pipeline, MissingBarrierBehindTheWaitIsCaught) {
  EXPECT_NE(fault_of(pipeline_kernel("cp.async.wait_group 1;", "")), "");
}

TEST(Pipeline, MissingBarrierBehindTheReadsIsCaught) {
  EXPECT_NE(fault_of(pipeline_kernel("cp.async.wait_group 1;", "bar.sync 0;", "")), "");
}

TEST(Pipeline, BarrierBeforeTheWaitIsCaught) {
  EXPECT_NE(fault_of(pipeline_kernel("bar.sync 0;", "cp.async.wait_group 1;")), "");
}

TEST(Pipeline, TooLittleSharedMemoryIsCaught) {
  Memory memory;
  const std::vector<uint32_t> words(512);
  Launch launch;
  launch.block = {64, 1, 1};
  launch.shared_bytes = 1024;  // one stage of two
  launch.parameter(memory.upload(words, "in")).parameter(memory.allocate(256, "out")).parameter(2);
  EXPECT_THROW(run(parse(module_header() + pipeline_kernel()), "pipeline", launch, memory), Fault);
}

}  // namespace
}  // namespace gatefold::ptx
