#include "runtime/workspace.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "runtime/pages.h"
#include "tests/runtime/resident_bytes.h"

namespace gatefold {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

TEST(Workspace, BlocksAreAlignedAndWritable) {
  for (size_t bytes : {size_t{0}, size_t{1}, size_t{4095}, 3 * kMiB}) {
    void* memory = workspace_allocate(bytes);
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 128, 0u);
    EXPECT_GE(workspace_size(memory), bytes);
    std::memset(memory, 1, bytes);
    workspace_release(memory);
  }
  workspace_release(nullptr);
}

TEST(Workspace, TheSameSequenceAllocatesOnce) {
  const auto call = [] {
    void* a = workspace_allocate(100000);
    void* b = workspace_allocate(150000);
    void* c = workspace_allocate(5 * kMiB);
    workspace_release(a);
    workspace_release(b);
    workspace_release(c);
  };
  call();
  const uint64_t before = workspace_stats().system_allocations;
  for (int i = 0; i < 100; ++i) call();
  EXPECT_EQ(workspace_stats().system_allocations, before);
}

TEST(Workspace, ASlightlySmallerRequestReusesABlock) {
  workspace_release(workspace_allocate(9 * kMiB));
  const uint64_t before = workspace_stats().system_allocations;
  workspace_release(workspace_allocate(8 * kMiB));
  EXPECT_EQ(workspace_stats().system_allocations, before);
}

TEST(Workspace, KeepsABoundedAmount) {
  size_t released = 0;
  for (size_t size = 20 * kMiB; released <= workspace_stats().limit_bytes; size += 21 * kMiB) {
    workspace_release(workspace_allocate(size));
    released += size;
  }
  EXPECT_LE(workspace_stats().cached_bytes, workspace_stats().limit_bytes);
}

TEST(Workspace, KeepsWhatWasInUseAtOnce) {
  std::vector<void*> blocks;
  const auto call = [&] {
    for (size_t i = 0; i < 20; ++i) blocks.push_back(workspace_allocate((16 + i) * kMiB));
    for (void* block : blocks) workspace_release(block);
    blocks.clear();
  };
  call();
  const uint64_t before = workspace_stats().system_allocations;
  call();
  EXPECT_EQ(workspace_stats().system_allocations, before);
}

TEST(Workspace, CallsOfAlternatingSizesAllocateOnce) {
  const auto calls = [] {
    for (size_t size : {160, 70, 30, 12, 5}) workspace_release(workspace_allocate(size * kMiB));
  };
  calls();
  const uint64_t before = workspace_stats().system_allocations;
  calls();
  EXPECT_EQ(workspace_stats().system_allocations, before);
}

TEST(Workspace, NewSizesDisplaceOldOnes) {
  for (int i = 0; i < 40; ++i)
    workspace_release(workspace_allocate(kMiB / 2 + static_cast<size_t>(i) * kMiB / 2));
  workspace_release(workspace_allocate(20 * kMiB));
  const uint64_t before = workspace_stats().system_allocations;
  workspace_release(workspace_allocate(20 * kMiB));
  EXPECT_EQ(workspace_stats().system_allocations, before);
}

TEST(Workspace, ImpossibleRequestsGiveNull) {
  EXPECT_EQ(workspace_allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(workspace_allocate(SIZE_MAX / 2), nullptr);
  EXPECT_EQ(allocate_pages(SIZE_MAX), nullptr);
}

TEST(Workspace, ManyThreadsShareIt) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        auto* memory = static_cast<unsigned char*>(
            workspace_allocate(static_cast<size_t>(1000 * (i % 7 + 1))));
        memory[0] = static_cast<unsigned char>(t);
        memory[999] = static_cast<unsigned char>(i);
        EXPECT_EQ(memory[0], t);
        workspace_release(memory);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// No worker has been started: calls on one thread take the lock too.
TEST(Workspace, IsUsableInAChildForkedWhileItWasLocked) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "in the child ThreadSanitizer takes the parent's thread for a leak";
#endif
  std::promise<void> locked;
  std::thread other([&] {
    lock_workspace();
    locked.set_value();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    unlock_workspace();
  });
  locked.get_future().wait();
  const pid_t child = fork();
  if (child == 0) {
    alarm(5);  // ends a child that hangs
    workspace_release(workspace_allocate(1000));
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  other.join();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Pages, LargeOnesAreAlignedToHugePages) {
  const Pages pages(5 * kMiB + 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pages.data()) % kHugePage, 0u);
  std::memset(pages.data(), 1, pages.bytes());
}

TEST(Pages, OccupyAHundredthMoreThanAskedForAtMost) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  EXPECT_EQ(reserved_bytes(kMiB), kMiB);
  EXPECT_EQ(reserved_bytes(3 * kMiB + 1), 3 * kMiB + page);
  EXPECT_EQ(reserved_bytes(299 * kMiB + 1), 300 * kMiB) << "worth a last huge page";
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own memory for what is written is resident too";
#endif
  std::vector<Pages> many;
  const int64_t before = resident_bytes();
  for (int i = 0; i < 16; ++i) {
    many.emplace_back(3 * kMiB + 1);
    std::memset(many.back().data(), 1, many.back().bytes());
  }
  const auto reserved = static_cast<int64_t>(16 * reserved_bytes(3 * kMiB + 1));
  EXPECT_LE(resident_bytes() - before, reserved + static_cast<int64_t>(kMiB));
}

}  // namespace
}  // namespace gatefold
