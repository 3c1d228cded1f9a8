// The caller's thread pool in place of the runtime's.
#include <gtest/gtest.h>

#include <cstddef>
#include <thread>

#include "runtime/fp_environment.h"
#include "tests/runtime/block.h"
#include "tests/runtime/odd_fp_word.h"
#include "tests/runtime/threads_of_process.h"

namespace gatefold::test {
namespace {

constexpr int64_t kRows = 23;

/// One way to run a loop, and what was asked of it.
struct HookedPool {
  std::function<int(int count, const std::function<void(int)>& task)> run;
  std::atomic<int> loops{0};
  std::atomic<int> most_tasks{0};

  gf_options options(int threads) {
    gf_options o = gatefold::options(threads);
    o.parallel_for_context = this;
    o.parallel_for = [](void* context, int count, gf_task task, void* task_context) {
      auto& pool = *static_cast<HookedPool*>(context);
      ++pool.loops;
      pool.most_tasks = std::max<int>(pool.most_tasks, count);
      return pool.run(count, [=](int i) { task(task_context, i); });
    };
    return o;
  }
};

int serially(int count, const std::function<void(int)>& task) {
  for (int i = 0; i < count; ++i) task(i);
  return 0;
}

int in_reverse(int count, const std::function<void(int)>& task) {
  for (int i = count - 1; i >= 0; --i) task(i);
  return 0;
}

int on_threads(int count, const std::function<void(int)>& task) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&, i] { task(i); });
  for (std::thread& thread : threads) thread.join();
  return 0;
}

Ffn make(const Block& block, const gf_options& options) {
  return Ffn(block.library, block.fake.options.d_model, block.fake.options.d_ff, block.weights(),
             options);
}

TEST(ParallelFor, GivesTheBitsOfThePool) {
  for (gf_dtype dtype : {GF_F32, GF_BF16}) {
    FakeOptions o;
    o.dtype = dtype;
    o.word_bits = dtype == GF_F32 ? 32 : 16;
    o.d_ff = 600;  // several packing tasks
    const Block block(o);
    Ffn own = block.make(4);
    const Values x = block.input(kRows);
    const std::vector<uint8_t> wanted = block.run(own, x, kRows);
    for (const auto& run : {serially, in_reverse, on_threads}) {
      HookedPool pool{run};
      Ffn ffn = make(block, pool.options(4));
      EXPECT_GT(pool.loops, 0) << "packing goes through it";
      pool.loops = 0;
      EXPECT_EQ(block.run(ffn, x, kRows), wanted);
      EXPECT_EQ(pool.loops, 1);
      EXPECT_EQ(pool.most_tasks, 4);
    }
  }
}

TEST(ParallelFor, StartsNoThreadAndNeedsNoneForOneThread) {
  const int before = threads_of_process();
  const Block block({.d_ff = 600});
  HookedPool pool{serially};
  Ffn ffn = make(block, pool.options(16)), single = make(block, pool.options(1));
  pool.loops = 0;
  const Values x = block.input(kRows);
  const std::vector<uint8_t> wanted = block.run(single, x, kRows);
  EXPECT_EQ(pool.loops, 0);
  EXPECT_EQ(block.run(ffn, x, kRows), wanted);
  EXPECT_EQ(pool.loops, 1);
  EXPECT_LE(threads_of_process(), before) << "fewer: those of earlier tests were still ending";
}

TEST(ParallelFor, TasksRunInTheStandardEnvironmentAndLeaveTheThreadsOwn) {
  std::atomic<int> changed{0};
  HookedPool pool{[&](int count, const std::function<void(int)>& task) {
    return on_threads(count, [&](int i) {
      write_fp_word(kOddFpWord);
      task(i);
      if (read_fp_word() != kOddFpWord) ++changed;
    });
  }};
  const Block block({.d_ff = 600});
  Ffn own = block.make(1), ffn = make(block, pool.options(3));
  const Values x = block.input(kRows);
  EXPECT_EQ(block.run(ffn, x, kRows), block.run(own, x, kRows));
  EXPECT_EQ(changed, 0);
  EXPECT_FALSE(block.fake.odd_fp_word);
}

/// gf_ffn_run on a block made with a pool that works, once it no longer does.
void expect_broken(const std::function<int(int, const std::function<void(int)>&)>& run,
                   const char* message) {
  const Block block({.d_ff = 600});
  HookedPool pool{serially};
  const gf_options options = pool.options(4);
  Ffn ffn = make(block, options);
  pool.run = run;
  const Values x = block.input(kRows);
  std::vector<float> y(static_cast<size_t>(kRows * 37));
  const gf_rows in = rows_of(const_cast<void*>(x.data()), GF_F32, kRows, 37);
  const gf_rows out = rows_of(y.data(), GF_F32, kRows, 37);
  EXPECT_STATUS(gf_ffn_run(ffn.get(), &in, &out), GF_PARALLEL_FOR_FAILED);
  EXPECT_STREQ(gf_last_error(), message);
  const gf_ffn_desc desc = {sizeof desc, 37, 600, nullptr};
  const gf_ffn_weights weights = block.weights();
  gf_ffn* none = nullptr;
  EXPECT_STATUS(gf_ffn_create(block.library.get(), &desc, &weights, &options, &none),
                GF_PARALLEL_FOR_FAILED);
  EXPECT_EQ(none, nullptr);
  pool.run = serially;
  EXPECT_LE(block.run_and_compare(ffn, kRows).worst, 1) << "usable afterwards";
}

TEST(ParallelFor, AFailureOfThePoolIsTheCalls) {
  expect_broken([](int, const auto&) { return 7; }, "parallel_for: returned 7, wanted 0");
}

TEST(ParallelFor, LeftOutTasksAreNoticed) {
  expect_broken([](int, const auto& task) { return task(1), 0; },
                "parallel_for: called 1 tasks, wanted each of 4 once");
  expect_broken([](int, const auto&) { return 0; },
                "parallel_for: called 0 tasks, wanted each of 4 once");
}

TEST(ParallelFor, TasksCalledTwiceAreNoticed) {
  expect_broken([](int count, const auto& task) { return task(0), serially(count, task); },
                "parallel_for: called 5 tasks, wanted each of 4 once");
}

TEST(ParallelFor, AKernelsFailureIsTheKernels) {
  Block block({});
  HookedPool pool{on_threads};
  Ffn ffn = make(block, pool.options(4));
  block.fake.before_call = [](void* context) {
    const auto fail = [](void*, int, uint8_t*) { return -17; };
    return hooks_of(context).par_for(context, fail, 0, 9, nullptr);
  };
  float x[37] = {}, y[37];
  const gf_rows in = rows_of(x, GF_F32, 1, 37), out = rows_of(y, GF_F32, 1, 37);
  EXPECT_STATUS(gf_ffn_run(ffn.get(), &in, &out), GF_KERNEL_FAILED);
}

/// Kernels may have loops in loops; the caller's pool sees the outer one.
TEST(ParallelFor, NestedLoopsStayOnTheirThread) {
  Block block({});
  HookedPool pool{on_threads};
  Ffn ffn = make(block, pool.options(3));
  std::atomic<int> calls{0};
  block.fake.before_call = [&](void* context) {
    const auto inner = [](void*, int, uint8_t* count) {
      ++*reinterpret_cast<std::atomic<int>*>(count);
      return 0;
    };
    const auto outer = [](void* c, int, uint8_t* count) {
      return hooks_of(c).par_for(c, decltype(inner){}, 0, 8, count);
    };
    return hooks_of(context).par_for(context, outer, 0, 6, reinterpret_cast<uint8_t*>(&calls));
  };
  pool.loops = 0;
  EXPECT_LE(block.run_and_compare(ffn, 1).worst, 1);
  EXPECT_EQ(calls, 48);
  EXPECT_EQ(pool.loops, 1);
}

TEST(ParallelFor, SeveralCallersAtOnce) {
  const Block block({});
  HookedPool pool{on_threads};
  Ffn ffn = make(block, pool.options(3)), own = block.make(3);
  const Values x = block.input(kRows);
  const std::vector<uint8_t> wanted = block.run(own, x, kRows);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 6; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i) wrong += block.run(ffn, x, kRows) != wanted;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

/// What was compiled against a header without the hook.
TEST(ParallelFor, AnOlderCallersOptionsMeanTheOwnPool) {
  const Block block({});
  struct {
    uint32_t struct_size;
    int32_t threads;
    const char* isa;
    void* beyond[2];
  } older = {16, 2, nullptr, {&older, &older}};
  const gf_ffn_desc desc = {sizeof desc, 37, 21, nullptr};
  const gf_ffn_weights weights = block.weights();
  gf_ffn* ffn = nullptr;
  ASSERT_STATUS(gf_ffn_create(block.library.get(), &desc, &weights,
                              reinterpret_cast<const gf_options*>(&older), &ffn),
                GF_OK);
  const Values x = block.input(kRows);
  std::vector<float> y(static_cast<size_t>(kRows * 37));
  const gf_rows in = rows_of(const_cast<void*>(x.data()), GF_F32, kRows, 37);
  const gf_rows out = rows_of(y.data(), GF_F32, kRows, 37);
  EXPECT_STATUS(gf_ffn_run(ffn, &in, &out), GF_OK);
  gf_ffn_destroy(ffn);
}

TEST(ParallelFor, CppHeaderTakesAnyCallable) {
  const Block block({.d_ff = 600});
  int loops = 0;
  const auto pool = [&loops](int count, const auto& task) {
    ++loops;
    for (int i = 0; i < count; ++i) task(i);
  };
  Ffn ffn = make(block, options_with_pool(pool, 3));
  EXPECT_EQ(ffn.report().threads, 3);
  EXPECT_LE(block.run_and_compare(ffn, kRows).worst, 1);
  EXPECT_GT(loops, 1);
}

TEST(ParallelFor, CppHeaderTurnsAnExceptionIntoTheStatus) {
  const Block block({.d_ff = 600});
  const auto pool = [](int, const auto&) { throw std::runtime_error("no threads"); };
  try {
    Ffn ffn = make(block, options_with_pool(pool, 3));
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.status(), GF_PARALLEL_FOR_FAILED);
  }
}

}  // namespace
}  // namespace gatefold::test
