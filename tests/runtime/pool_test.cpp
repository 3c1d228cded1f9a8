#include "runtime/pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/fp_environment.h"

namespace gatefold {
namespace {

/// A loop over a C++ callable.
template <typename Body>
int loop(int threads, int min, int count, Body body) {
  const auto task = [](void*, int index, uint8_t* closure) {
    return (*reinterpret_cast<Body*>(closure))(index);
  };
  return Pool::process().par_for(threads, task, nullptr, min, count,
                                 reinterpret_cast<uint8_t*>(&body));
}

/// A loop in which every index waits for all others: it ends only on `threads` threads at once.
int threads_at_once(int threads) {
  std::atomic<int> inside{0};
  loop(threads, 0, threads, [&](int) {
    ++inside;
    while (inside < threads) std::this_thread::yield();
    return 0;
  });
  return inside;
}

TEST(Pool, CallsEveryIndexOnce) {
  for (int threads : {1, 2, 4, 7}) {
    for (int count : {0, 1, 2, 3, 64, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<size_t>(count));
      EXPECT_EQ(loop(threads, -5, count,
                     [&](int i) {
                       ++calls[static_cast<size_t>(i + 5)];
                       return 0;
                     }),
                0);
      for (const auto& c : calls) ASSERT_EQ(c, 1);
    }
  }
}

TEST(Pool, UsesSeveralThreads) {
  EXPECT_EQ(threads_at_once(2), 2);
  EXPECT_GE(Pool::process().workers(), 1);
}

TEST(Pool, StopsAtTheFirstFailure) {
  std::atomic<int> calls{0};
  EXPECT_EQ(loop(4, 0, 100000,
                 [&](int) {
                   ++calls;
                   return 42;
                 }),
            42);
  EXPECT_LE(calls, 4);
  EXPECT_EQ(loop(1, 0, 100, [&](int i) { return i == 3 ? 7 : 0; }), 7);
  EXPECT_EQ(loop(4, 0, 100, [](int) { return 0; }), 0) << "nothing is left of it";
}

TEST(Pool, NestedLoopsRunOnTheirOwnThread) {
  std::atomic<int> calls{0}, moved{0};
  loop(4, 0, 16, [&](int) {
    const pthread_t self = pthread_self();
    return loop(4, 0, 16, [&, self](int) {
      ++calls;
      if (!pthread_equal(self, pthread_self())) ++moved;
      return 0;
    });
  });
  EXPECT_EQ(calls, 256);
  EXPECT_EQ(moved, 0);
}

TEST(Pool, ServesManyCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int64_t> sum{0};
  for (int c = 0; c < 80; ++c) {  // more than there are slots
    callers.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        loop(3, 0, 50, [&](int index) {
          sum += index;
          return 0;
        });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 80 * 20 * (49 * 50 / 2));
}

TEST(Pool, WorkersHaveTheProcessMaskStandardEnvironmentAndNoSignals) {
  const CpuMask process = process_cpus();
  std::mutex mutex;
  std::set<pthread_t> seen;
  std::atomic<int> bad_mask{0}, bad_word{0}, bad_signals{0};
  write_fp_word(kStandardFpWord);
  const pthread_t caller = pthread_self();
  std::atomic<int> inside{0};
  loop(2, 0, 2, [&](int) {
    ++inside;
    while (inside < 2) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    seen.insert(pthread_self());
    if (pthread_equal(caller, pthread_self())) return 0;
    if (affinity_of(0).count() != process.count()) ++bad_mask;
    if (fp_controls(read_fp_word()) != kStandardFpWord) ++bad_word;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    if (!sigismember(&blocked, SIGINT) || !sigismember(&blocked, SIGALRM)) ++bad_signals;
    // A crash handler of the application must see a worker's faults too.
    if (sigismember(&blocked, SIGSEGV) || sigismember(&blocked, SIGILL)) ++bad_signals;
    return 0;
  });
  EXPECT_EQ(seen.size(), 2u);
  EXPECT_EQ(bad_mask, 0);
  EXPECT_EQ(bad_word, 0);
  EXPECT_EQ(bad_signals, 0);
}

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

TEST(Pool, IdleWorkersUseNoCpu) {
  loop(8, 0, 64, [](int) { return 0; });
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  const double before = cpu_seconds();
  std::this_thread::sleep_for(std::chrono::seconds(1));
  EXPECT_LT(cpu_seconds() - before, 0.02);
}

TEST(Pool, WorksInAForkedChild) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer allows no threads after fork";
#endif
  // Workers that have only just started may hold a lock of AddressSanitizer's allocator, which
  // GCC 12's doesn't release in the child; after this loop all are past their start.
  threads_at_once(4);
  const pid_t child = fork();
  if (child == 0) _exit(threads_at_once(2) == 2 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  std::atomic<int> calls{0};
  loop(4, 0, 100, [&](int) {
    ++calls;
    return 0;
  });
  EXPECT_EQ(calls, 100) << "the parent's pool is as before";
}

}  // namespace
}  // namespace gatefold
