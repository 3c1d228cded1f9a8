#include <gtest/gtest.h>

#include "tests/ptx/interpreter.h"
#include "tests/ptx/single_cases.h"

namespace gatefold::ptx {
namespace {

const char* kKernel = R"(
.extern .shared .align 16 .b8 dynamic[];
.visible .entry k(.param .u64 out, .param .u32 value)
.maxntid 64, 2, 1
{
  .shared .align 4 .b8 fixed[40960];
  .reg .b32 %r<3>;
  .reg .b64 %d;
  mov.u32 %r0, %ntid.x;
  st.shared.b32 [fixed], %r0;
  mov.u32 %r1, dynamic;
  ld.param.u64 %d, [out];
  ld.param.u32 %r2, [value];
  st.global.b32 [%d], %r2;
  ret;
}
.visible .entry exact() .reqntid 32, 2, 1 { ret; }
)";

class Launched : public testing::Test {
 protected:
  Memory memory;
  uint64_t out = memory.allocate(4, "out");
  Launch launch = Launch{}.parameter(out).parameter(7u);

  std::string error(const std::string& entry = "k") {
    try {
      run(parse(module_header() + kKernel), entry, launch, memory);
    } catch (const Error& found) {
      return found.what();
    }
    return "";
  }
  void expect_error(const std::string& part, const std::string& entry = "k") {
    const std::string found = error(entry);
    EXPECT_NE(found.find(part), std::string::npos) << found;
  }
};

TEST_F(Launched, AsDeclared) {
  EXPECT_EQ(error(), "");
  EXPECT_EQ(memory.download<uint32_t>(out, 1)[0], 7u);
}

TEST_F(Launched, NoSuchKernel) {
  expect_error("no kernel 'other', wanted one of: k, exact", "other");
}

TEST_F(Launched, MissingParameter) {
  launch.parameters.pop_back();
  expect_error("kernel k: 1 parameters given, wanted 2");
}

TEST_F(Launched, ParameterOfAnotherSize) {
  launch.parameters.pop_back();
  launch.parameter(uint64_t{7});
  expect_error("parameter 1 (value) has 8 bytes, wanted 4");
}

TEST_F(Launched, MoreThreadsThanTheKernelAllows) {
  launch.block = {64, 2, 1};
  EXPECT_EQ(error(), "");
  launch.block = {65, 2, 1};
  expect_error("130 threads, wanted 128 at most");
}

TEST_F(Launched, OtherThreadsThanTheKernelWants) {
  launch.parameters.clear();
  launch.block = {32, 2, 1};
  EXPECT_EQ(error("exact"), "");
  launch.block = {32, 1, 1};
  expect_error("1 threads in dimension 1, wanted 2 (.reqntid)", "exact");
}

TEST_F(Launched, ImpossibleGrids) {
  launch.grid = {1, 70000, 1};
  expect_error("dimension 1 has 70000 blocks");
  launch.grid = {1, 0, 1};
  expect_error("dimension 1 has 0 blocks");
  launch.grid = {1, 1, 1};
  launch.block = {0, 1, 1};
  expect_error("dimension 0 has 1 blocks of 0 threads");
}

TEST_F(Launched, MoreSharedMemoryThanThereIs) {
  launch.shared_bytes = 227 * 1024 - 40960;
  EXPECT_EQ(error(), "");
  ++launch.shared_bytes;
  expect_error("232449 bytes of shared memory, wanted 232448 at most");
}

TEST_F(Launched, WorkIsCounted) {
  launch.grid = {3, 2, 1};
  launch.block = {33, 1, 1};
  EXPECT_EQ(run(parse(module_header() + kKernel), "k", launch, memory).instructions, 6u * 2 * 7);
}

}  // namespace
}  // namespace gatefold::ptx
