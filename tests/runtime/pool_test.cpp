#include "runtime/pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/call_context.h"
#include "runtime/fp_environment.h"
#include "runtime/futex.h"
#include "tests/runtime/threads_of_process.h"

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

/// CPU seconds of the process in a window that begins `after` a loop on all of eight threads; the
/// least of several tries, since what the system does in between counts too.
double idle_cpu_seconds(std::chrono::milliseconds after, std::chrono::milliseconds window) {
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    threads_at_once(8);
    std::this_thread::sleep_for(after);
    const double before = cpu_seconds();
    std::this_thread::sleep_for(window);
    least = std::min(least, cpu_seconds() - before);
  }
  return least;
}

TEST(Pool, IdleWorkersUseNoCpu) {
  using std::chrono::milliseconds;
  EXPECT_LT(idle_cpu_seconds(milliseconds(200), milliseconds(300)), 0.02 * 0.3);
}

TEST(Pool, WorkersSpinOnlyBriefly) {
  using std::chrono::milliseconds;
  static_assert(kSpinNs <= 100000);
  // Seven workers; one that spun to the end of the window would use 50 ms.
  EXPECT_LT(idle_cpu_seconds(milliseconds(0), milliseconds(50)), 7 * 100e-6 + 0.003);
}

TEST(Pool, CallersShareTheWorkers) {
  constexpr int kCallers = 6, kThreads = 3;
  const int before = Pool::process().workers(), workers = std::max(before, kThreads - 1);
  const int threads = threads_of_process() + workers - before;
  std::atomic<int> inside{0}, most{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < kCallers; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        loop(kThreads, 0, 30, [&](int) {
          raise_to(most, ++inside);
          std::this_thread::yield();
          --inside;
          return 0;
        });
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(Pool::process().workers(), workers) << "more callers need no more workers";
  EXPECT_LE(most, kCallers + workers);
#if !defined(__SANITIZE_THREAD__)  // which starts a thread of its own
  // A thread that was joined may still be listed for a moment.
  for (int i = 0; i < 1000 && threads_of_process() > threads; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_LE(threads_of_process(), threads);
#else
  (void)threads;
#endif
}

TEST(Pool, ABlockedWorkerHoldsBackOneIndex) {
  constexpr int kCount = 1000;
  for (int threads : {2, 4}) {
    const pthread_t caller = pthread_self();
    std::atomic<int> blocked{0}, done{0};
    loop(threads, 0, kCount, [&](int) {
      // The first worker to come waits in its first task for all others to be done.
      if (!pthread_equal(caller, pthread_self()) && blocked++ == 0) {
        while (done < kCount - 1) std::this_thread::yield();
      }
      // The caller waits for a worker, so that there is one.
      while (blocked == 0) std::this_thread::yield();
      ++done;
      return 0;
    });
    EXPECT_EQ(done, kCount);
  }
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
