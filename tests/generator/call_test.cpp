// How compiled kernels treat the memory and the threads of their callers.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

#include "accuracy/guarded_memory.h"
#include "runtime/threads.h"
#include "tests/generator/compiled_block.h"

namespace gatefold::test {
namespace {

constexpr int64_t kModel = CompiledBlock::kModel;
using Bytes = CompiledBlock::Bytes;
using At = GuardedMemory::At;

struct Kind {
  const char* name;
  Target target;
  const char* dtypes;
};

class Call : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (!gf_isa_usable(info(GetParam().target).name.c_str())) GTEST_SKIP() << "not on this CPU";
    block = std::make_unique<CompiledBlock>(GetParam().target, GetParam().dtypes);
  }
  std::unique_ptr<CompiledBlock> block;
};

INSTANTIATE_TEST_SUITE_P(Kinds, Call,
                         testing::Values(Kind{"f32", Target::x86_avx2, "f32"},
                                         Kind{"bf16", Target::x86_avx2, "bf16"},
                                         Kind{"f16", Target::x86_avx2, "f16"},
                                         Kind{"bf16_f32", Target::x86_avx2, "bf16_f32"},
                                         Kind{"f16_f32", Target::x86_avx2, "f16_f32"},
                                         Kind{"avx512_f32", Target::x86_avx512, "f32"},
                                         Kind{"avx512_bf16", Target::x86_avx512_bf16, "bf16"}),
                         [](const auto& p) { return p.param.name; });

TEST_P(Call, TouchesNothingBesideItsTensors) {
  for (At at : {At::begin, At::end}) {
    const size_t bytes = block->weight(0).size();
    const GuardedMemory gate(bytes, at), up(bytes, at), down(bytes, at);
    const GuardedMemory* weights[] = {&gate, &up, &down};
    for (int m = 0; m < 3; ++m) std::memcpy(weights[m]->data(), block->weight(m).data(), bytes);
    Ffn ffn = block->make(gate.data(), up.data(), down.data(), 2);
    for (int64_t count = 1; count <= 40; ++count) {
      const Bytes x = block->input(count);
      const GuardedMemory in(x.size(), at), out(x.size(), at);
      std::memcpy(in.data(), x.data(), x.size());
      ffn.run(block->rows(in.data(), count), block->rows(out.data(), count));
      EXPECT_TRUE(block->right(x, out.data())) << count << " rows";
    }
  }
}

/// Row r of any call of one bucket has the same bits; across buckets all are right.
TEST_P(Call, RowsDoNotDependOnTheirNumber) {
  Ffn ffn = block->make(2);
  for (const auto& [from, to] : {std::pair{1, 1}, {2, 4}, {5, 16}, {17, 40}}) {
    const Bytes x = block->input(to), all = block->run(ffn, x);
    EXPECT_TRUE(block->right(x, all.data())) << to << " rows";
    for (int64_t count = from; count < to; ++count) {
      const Bytes y = block->run(ffn, block->input(count));
      EXPECT_EQ(std::memcmp(y.data(), all.data(), y.size()), 0) << count << " of " << to;
    }
  }
}

TEST_P(Call, StridedRowsLeaveThePaddingAlone) {
  constexpr int64_t kIn = kModel + 4, kOut = kModel + 12;
  Ffn ffn = block->make();
  for (int64_t count : {1, 3, 7, 20}) {
    const Bytes x = block->input(count), dense = block->run(ffn, x);
    const int64_t size = block->size();
    Bytes in(static_cast<size_t>(count * kIn * size), 0xff);  // NaN between the rows
    Bytes out(static_cast<size_t>(count * kOut * size), 0xee), wanted = out;
    const auto row_bytes = static_cast<size_t>(kModel * size);
    for (int64_t r = 0; r < count; ++r) {
      std::memcpy(&in[r * kIn * size], &x[r * row_bytes], row_bytes);
      std::memcpy(&wanted[r * kOut * size], &dense[r * row_bytes], row_bytes);
    }
    ffn.run(block->rows(in.data(), count, kIn), block->rows(out.data(), count, kOut));
    EXPECT_EQ(out, wanted) << count << " rows";
  }
}

TEST_P(Call, AnyElementAlignment) {
  Ffn ffn = block->make();
  for (int64_t count : {1, 3, 18}) {
    const Bytes x = block->input(count), wanted = block->run(ffn, x);
    for (int64_t shift = 0; shift < 64; shift += block->size()) {
      const size_t room = x.size() + 64;
      const GuardedMemory in(room, At::begin), out(room, At::begin);
      std::memcpy(in.data() + shift, x.data(), x.size());
      ffn.run(block->rows(in.data() + shift, count), block->rows(out.data() + 64 - shift, count));
      EXPECT_EQ(std::memcmp(out.data() + 64 - shift, wanted.data(), wanted.size()), 0)
          << count << " rows, x shifted by " << shift << " bytes";
    }
  }
}

TEST(CallThreads, ZeroRowsNeedNoMemory) {
  const CompiledBlock block(Target::x86_avx2, "f32");
  Ffn ffn = block.make();
  const gf_rows none = block.rows(nullptr, 0);
  EXPECT_EQ(gf_ffn_run(ffn.get(), &none, &none), GF_OK);
  EXPECT_EQ(ffn.report().calls, 0);
}

TEST(CallThreads, SmallStacksAreEnough) {
  const CompiledBlock block(Target::x86_avx2, "f32");
  const Bytes x = block.input(40);
  for (int threads : {1, 4}) {
    Ffn ffn = block.make(threads);
    const Bytes wanted = block.run(ffn, x);
    const std::function<bool()> same = [&] { return block.run(ffn, x) == wanted; };
    const auto body = [](void* function) -> void* {
      return (*static_cast<const std::function<bool()>*>(function))() ? function : nullptr;
    };
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    std::vector<pthread_t> callers(8);
    for (pthread_t& t : callers)
      ASSERT_EQ(pthread_create(&t, &small, body, const_cast<std::function<bool()>*>(&same)), 0);
    for (pthread_t t : callers) {
      void* result = nullptr;
      pthread_join(t, &result);
      EXPECT_NE(result, nullptr) << threads << " threads";
    }
    pthread_attr_destroy(&small);
  }
}

/// CPUs that each worker of the pool may run on.
std::vector<int> worker_cpus() {
  std::vector<int> cpus;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name != "gatefold") continue;
    cpus.push_back(affinity_of(std::stoi(task.path().filename().string())).count());
  }
  return cpus;
}

/// OpenMP's binding and event loops do that.
TEST(CallThreads, AMainThreadThatIsPinnedBeforeTheFirstCallPinsNoWorker) {
  const CompiledBlock block(Target::x86_avx2, "f32");
  const CpuMask before = affinity_of(0);
  const int threads = gf_default_threads();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  const Bytes x = block.input(40);
  Ffn automatic = block.make(0), two = block.make(2);
  const bool right = block.right(x, block.run(two, x).data());
  // A worker widens its mask when it first runs, which may be after the call that asked for it.
  std::vector<int> cpus = worker_cpus();
  for (int i = 0; i < 1000 && std::count(cpus.begin(), cpus.end(), 1) > 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    cpus = worker_cpus();
  }
  set_own_affinity(before);
  EXPECT_TRUE(right);
  EXPECT_EQ(automatic.report().threads, threads);
  ASSERT_FALSE(cpus.empty());
  for (int count : cpus) EXPECT_EQ(count, before.count());
}

}  // namespace
}  // namespace gatefold::test
