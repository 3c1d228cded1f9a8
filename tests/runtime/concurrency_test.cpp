#include <gtest/gtest.h>
#include <pthread.h>

#include <barrier>
#include <cstring>
#include <memory>
#include <thread>

#include "runtime/workspace.h"
#include "tests/runtime/block.h"
#include "tests/runtime/heap_count.h"
#include "tests/runtime/resident_bytes.h"

namespace gatefold::test {
namespace {

// known-bugs 83
TEST(Concurrency, DifferentBlocksFromManyThreads) {
  std::vector<std::unique_ptr<Block>> blocks;
  std::vector<Ffn> ffns;
  std::vector<Values> inputs;
  std::vector<std::vector<uint8_t>> wanted;
  for (int i = 0; i < 8; ++i) {
    FakeOptions o;
    o.variant = all_variants()[static_cast<size_t>(i)].name.c_str();
    o.d_model = 5 + 3 * i;
    o.d_ff = 30 - 2 * i;
    o.dtype = i % 2 ? GF_BF16 : GF_F32;
    o.word_bits = i % 2 ? 16 : 32;
    blocks.push_back(std::make_unique<Block>(o));
    ffns.push_back(blocks.back()->make(1 + i % 4));
    inputs.push_back(blocks.back()->input(6));
    wanted.push_back(blocks.back()->run(ffns.back(), inputs.back(), 6));
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (size_t i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int n = 0; n < 100; ++n) {
        if (blocks[i]->run(ffns[i], inputs[i], 6) != wanted[i]) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Concurrency, OneBlockFromManyThreads) {
  const Block block({});
  Ffn ffn = block.make(4);
  const Values x = block.input(9);
  const std::vector<uint8_t> wanted = block.run(ffn, x, 9);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int n = 0; n < 50; ++n) {
        if (block.run(ffn, x, 9) != wanted) ++wrong;
        if (ffn.report().calls < 1) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(ffn.report().calls, 1 + 8 * 50);
}

TEST(Concurrency, AReportNeverMixesTwoCalls) {
  const Block block({.d_model = 3, .d_ff = 2, .rows = {1, 8}});
  Ffn ffn = block.make(1);
  std::atomic<bool> stop{false};
  std::vector<std::thread> callers;
  for (int64_t rows : {1, 5, 9}) {
    callers.emplace_back([&, rows] {
      std::vector<float> x(27, 1.0f), y(27);
      while (!stop) ffn.run(x.data(), y.data(), rows);
    });
  }
  int mixed = 0;
  while (ffn.report().calls < 50000) mixed += std::string(ffn.report().match) != "exact";
  stop = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(mixed, 0);
}

TEST(Concurrency, CreatingAndRunningAtOnce) {
  const Block block({});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10; ++n) {
        const Library library = block.link();  // the same table again
        Ffn ffn(library, 37, 21, block.weights(), options(3));
        if (block.run_and_compare(ffn, 5).worst > 1) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Allocation, NoneAfterTheFirstCall) {
  const Block block({});
  Ffn ffn = block.make(2);
  const Values x = block.input(8);
  std::vector<float> y(8 * 37);
  const gf_rows in = rows_of(const_cast<void*>(x.data()), GF_F32, 8, 37);
  const gf_rows out = rows_of(y.data(), GF_F32, 8, 37);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(gf_ffn_run(ffn.get(), &in, &out), GF_OK);
  const int64_t before = heap_count();
  const uint64_t blocks = workspace_stats().system_allocations;
  for (int i = 0; i < 50; ++i) gf_ffn_run(ffn.get(), &in, &out);
  EXPECT_EQ(heap_count() - before, 0);
  // A second worker may come to hold a block at the same time for the first time.
  EXPECT_LE(workspace_stats().system_allocations - blocks, 1u);
}

/// Makes the kernel hold `bytes`, and a block like the one that it computes in, until all callers
/// that the barrier waits for do.
void hold_together(Block& block, std::barrier<>& barrier, size_t bytes) {
  block.fake.before_call = [&barrier, bytes](void* context) {
    void* memory = hooks_of(context).allocate(context, bytes);
    void* small = hooks_of(context).allocate(context, 8);
    barrier.arrive_and_wait();
    hooks_of(context).release(context, small);
    hooks_of(context).release(context, memory);
    return memory ? 0 : -11;
  };
}

TEST(Allocation, NoneForALargeWorkspaceAfterTheFirstCall) {
  Block block({.d_model = 3, .d_ff = 2});
  Ffn ffn = block.make(1);
  std::barrier<> alone(1);
  hold_together(block, alone, size_t{96} << 20);
  const float x[3] = {1, 2, 3};
  float y[3];
  ffn.run(x, y, 1);
  const uint64_t blocks = workspace_stats().system_allocations;
  ffn.run(x, y, 1);
  EXPECT_EQ(workspace_stats().system_allocations, blocks);
}

/// More callers at once than there are CPUs.
TEST(Allocation, NoneForCallersThatHaveRunTogetherOnce) {
  constexpr int kCallers = 12;
  Block block({.d_model = 3, .d_ff = 2});
  Ffn ffn = block.make(1);
  std::barrier<> together(kCallers);
  hold_together(block, together, size_t{64} << 20);
  const auto all_call = [&] {
    std::vector<std::thread> callers;
    for (int i = 0; i < kCallers; ++i) {
      callers.emplace_back([&] {
        const float x[3] = {1, 2, 3};
        float y[3];
        ffn.run(x, y, 1);
      });
    }
    for (std::thread& caller : callers) caller.join();
  };
  all_call();
  const uint64_t blocks = workspace_stats().system_allocations;
  all_call();
  EXPECT_EQ(workspace_stats().system_allocations, blocks);
}

// known-bugs 52: scratch memory must not grow with the threads that ever called.
TEST(Allocation, ShortLivedThreadsDoNotAccumulate) {
  Block block({.d_model = 3, .d_ff = 2});
  Ffn ffn = block.make(1);
  block.fake.before_call = [&](void* context) {
    void* memory = hooks_of(context).allocate(context, size_t{1} << 20);
    std::memset(memory, 1, size_t{1} << 20);
    hooks_of(context).release(context, memory);
    return 0;
  };
  const int64_t before = resident_bytes();
  const size_t cached = workspace_stats().cached_bytes;
  for (int i = 0; i < 200; ++i) {
    std::thread([&] {
      float x[3] = {1, 2, 3}, y[3];
      ffn.run(x, y, 1);
    }).join();
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // their own books grow
  EXPECT_LT(resident_bytes() - before, int64_t{64} << 20);
#endif
  EXPECT_LE(workspace_stats().cached_bytes, cached + (size_t{32} << 20));
}

// known-bugs 84
TEST(Concurrency, SmallStacksAreEnough) {
  const Block block({});
  Ffn ffn = block.make(4);
  struct Job {
    const Block& block;
    Ffn& ffn;
    std::atomic<int> wrong{0};
  } job{block, ffn, {}};
  const auto body = [](void* argument) -> void* {
    Job& j = *static_cast<Job*>(argument);
    const Values x = j.block.input(9);
    if (j.block.run(j.ffn, x, 9).empty()) ++j.wrong;
    return nullptr;
  };
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 256 << 10);
  std::vector<pthread_t> threads(16);
  for (pthread_t& t : threads) ASSERT_EQ(pthread_create(&t, &small, body, &job), 0);
  for (pthread_t& t : threads) pthread_join(t, nullptr);
  pthread_attr_destroy(&small);
  EXPECT_EQ(job.wrong, 0);
}

}  // namespace
}  // namespace gatefold::test
