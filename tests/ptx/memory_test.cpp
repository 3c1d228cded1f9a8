#include "tests/ptx/memory.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>

#include "spec/error.h"

namespace gatefold::ptx {
namespace {

TEST(Memory, ReadsBackWhatWasWritten) {
  Memory memory;
  const uint64_t a = memory.upload(std::vector<int>{1, 2, 3}, "a"), b = memory.allocate(8, "b");
  EXPECT_EQ(memory.download<int>(a, 3), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(memory.download<int>(a + 4, 1), std::vector<int>{2});
  EXPECT_EQ(memory.unwritten(b, 8), 8u);
  memory.fill(b, 4, std::byte{1});
  EXPECT_EQ(memory.unwritten(b, 8), 4u);
  EXPECT_EQ(memory.download<int>(b, 1), std::vector<int>{0x01010101});
  EXPECT_EQ(memory.bytes_of(a), 12u);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(b % 256, 0u);
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Memory, RefusesTheHostToo) {
  Memory memory;
  const uint64_t a = memory.allocate(12, "weights");
  EXPECT_EQ(message_of([&] { memory.read(a + 4, 12); }),
            fmt::format("12 bytes at global address {:#x}, which is offset 4 of 'weights', wanted "
                        "an end at 12",
                        a + 4));
  EXPECT_NE(message_of([&] { memory.read(1, 1); }).find("near no allocation"), std::string::npos);
  memory.release(a);
  EXPECT_NE(message_of([&] { memory.read(a, 1); }), "");
  EXPECT_NE(message_of([&] { memory.release(a); }), "");
}

TEST(Memory, ReleasedAddressesAreNotUsedAgain) {
  Memory memory;
  const uint64_t a = memory.allocate(100, "a");
  memory.release(a);
  EXPECT_NE(memory.allocate(100, "b"), a);
  EXPECT_EQ(memory.allocations(), 1u);
}

}  // namespace
}  // namespace gatefold::ptx
