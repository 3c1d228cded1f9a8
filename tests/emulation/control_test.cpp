#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <thread>
#include <vector>

#include "tests/emulation/kernels.h"
#include "tests/emulation/values.h"

namespace gatefold::emulation {
namespace {

/// Five floats that end where memory ends.
class Guarded {
 public:
  Guarded() : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    base_ = static_cast<char*>(
        mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base_ + page_, page_, PROT_NONE);
    for (int i = 0; i < 5; ++i) values()[i] = static_cast<float>(i);
  }
  ~Guarded() { munmap(base_, 2 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  float* values() const { return reinterpret_cast<float*>(base_ + page_) - 5; }

 private:
  size_t page_;
  char* base_;
};

TEST(Control, LanesThatAreMaskedOffDoNotFault) {
  const Guarded guarded;
  k_masked(guarded.values(), guarded.values(), 0x1f);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(guarded.values()[i], static_cast<float>(i + 1));
}

TEST(ControlDeathTest, AnAccessPastTheEndFaults) {
  const Guarded guarded;
  EXPECT_EXIT(k_masked(guarded.values(), guarded.values(), 0x3f), testing::KilledBySignal(SIGSEGV),
              "the emulated instruction at .* accessed");
}

TEST(ControlDeathTest, AnUndefinedInstructionStaysOne) {
  EXPECT_EXIT(k_illegal(), testing::KilledBySignal(SIGILL), "exception 6 at .*: 0f 0b");
}

// Clobbers what the ABI lets it, which the CPU does without the emulator's knowledge.
__attribute__((target("avx2"))) void native() {
  char text[64];
  snprintf(text, sizeof text, "%f", 1.5);
  asm volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0\n\tvpcmpeqd %%ymm9, %%ymm9, %%ymm9" ::
                   : "xmm0", "xmm9");
}

TEST(Control, NativeCallFromAKernel) {
  Values values(1);
  const auto a = values.plain_floats<16>();
  std::array<float, 16> out;
  k_callback(out.data(), a.data(), native);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(out[i], a[i] + 2) << i;
}

TEST(Control, ThreadsDoNotMixTheirState) {
  constexpr int kCalls = 200;
  std::vector<std::array<float, 64>> data;
  for (uint32_t i = 0; i < 4; ++i) {
    Values values(i);
    data.push_back(values.array<float, 64>([&] { return values.plain() / 8; }));
  }
  auto expected = data;
  std::vector<std::thread> threads;
  for (auto& d : data) {
    threads.emplace_back([p = d.data()] {
      for (int n = 0; n < kCalls; ++n) k_fma(p, p + 32, p + 48, 0.5f);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (size_t t = 0; t < 4; ++t) {
    auto& e = expected[t];
    for (size_t i = 0; i < 16; ++i) {
      for (int n = 0; n < kCalls; ++n) {
        e[i] = std::fmaf(-e[32 + i], e[48 + i], std::fmaf(e[32 + i], 0.5f, e[i]));
      }
      ASSERT_EQ(data[t][i], e[i]) << "thread " << t << ", lane " << i;
    }
  }
}

TEST(Control, SpinningThreadsGetOnAndKeepTheirState) {
  Values values(2);
  const auto a = values.plain_floats<16>(), b = values.plain_floats<16>();
  std::array<float, 16> out_a, out_b;
  volatile int flag_a = 0, flag_b = 0;
  std::thread first([&] { k_spin(&flag_a, &flag_b, 5, a.data(), out_a.data()); });
  std::thread second([&] { k_spin(&flag_b, &flag_a, 5, b.data(), out_b.data()); });
  first.join();
  second.join();
  for (size_t i = 0; i < 16; ++i) {
    const float times = 0x5a5a >> i & 1 ? 2 : 1;
    EXPECT_EQ(out_a[i], a[i] * times) << i;
    EXPECT_EQ(out_b[i], b[i] * times) << i;
  }
}

}  // namespace
}  // namespace gatefold::emulation
