// What the runtime itself costs: packing weights, and waking the thread pool.
#include <benchmark/benchmark.h>

#include <vector>

#include "runtime/pack.h"
#include "runtime/pool.h"

namespace gatefold {
namespace {

/// One matrix of 2048 x 2048 f32, in the layout of the f32 kernels.
void pack(benchmark::State& state) {
  constexpr int64_t kSize = 2048;
  const gf_packing packing{.panel = 16, .pair = 1, .k_step = 1, .group = 2};
  const PackedLayout layout = packed_layout(packing, kSize, kSize, GF_F32);
  const std::vector<float> matrix(kSize * kSize, 1.0f);
  std::vector<uint8_t> packed(static_cast<size_t>(layout.bytes()));
  const MatrixView view{.data = reinterpret_cast<const uint8_t*>(matrix.data()),
                        .dtype = GF_F32,
                        .n = kSize,
                        .k = kSize,
                        .stride_n = kSize,
                        .stride_k = 1};
  for (auto _ : state) {
    pack_matrix(view, layout, {.threads = static_cast<int>(state.range(0))}, packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * layout.bytes());
}

/// A loop of one empty call for each thread: the time is that of waking and waiting.
void par_for(benchmark::State& state) {
  const int threads = static_cast<int>(state.range(0));
  const Pool::Task nothing = [](void*, int, uint8_t*) { return 0; };
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        Pool::process().par_for(threads, nothing, nullptr, 0, threads, nullptr));
  }
}

void one_and_all_threads(benchmark::internal::Benchmark* bench) {
  bench->ArgName("threads")->Arg(1)->UseRealTime();
  if (const int all = gf_default_threads(); all > 1) bench->Arg(all);
}

BENCHMARK(pack)->Apply(one_and_all_threads);
BENCHMARK(par_for)->Apply(one_and_all_threads);

}  // namespace
}  // namespace gatefold
