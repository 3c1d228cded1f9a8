// What the runtime itself costs: packing weights, and waking the thread pool.
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

#include "runtime/pack.h"
#include "runtime/pool.h"

namespace gatefold {
namespace {

constexpr int64_t kSize = 2048;

/// One matrix of 2048 x 2048 in the layouts of the kernels: f32, and bf16 in pairs. The figure to
/// compare with is copy's: packing should be bound by memory too.
void pack(benchmark::State& state, gf_dtype from, gf_dtype to, bool transposed) {
  const gf_packing packing = to == GF_F32 ? gf_packing{16, 1, 1, 2} : gf_packing{16, 2, 1, 2};
  const PackedLayout layout = packed_layout(packing, kSize, kSize, to);
  const Executor executor{.threads = static_cast<int>(state.range(0))};
  const std::vector<uint8_t> matrix(static_cast<size_t>(kSize * kSize * dtype_bytes(from)), 1);
  std::vector<uint8_t> packed(static_cast<size_t>(layout.bytes()));
  const MatrixView view{.data = matrix.data(),
                        .dtype = from,
                        .n = kSize,
                        .k = kSize,
                        .stride_n = transposed ? 1 : kSize,
                        .stride_k = transposed ? kSize : 1};
  for (auto _ : state) {
    pack_matrix(view, layout, executor, packed.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * layout.bytes());
}

/// memcpy of as many bytes as an f32 matrix, in as many parts.
void copy(benchmark::State& state) {
  static constexpr size_t kRow = kSize * sizeof(float);
  struct Job {
    std::vector<uint8_t> from, to;
  } job{std::vector<uint8_t>(kSize * kRow, 1), std::vector<uint8_t>(kSize * kRow)};
  const auto copy_rows = [](void*, int index, uint8_t* closure) {
    Job& j = *reinterpret_cast<Job*>(closure);
    const size_t at = static_cast<size_t>(index) * 64 * kRow;
    std::memcpy(j.to.data() + at, j.from.data() + at, 64 * kRow);
    return 0;
  };
  for (auto _ : state) {
    Pool::process().par_for(static_cast<int>(state.range(0)), copy_rows, nullptr, 0, kSize / 64,
                            reinterpret_cast<uint8_t*>(&job));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kSize * kRow));
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

BENCHMARK(copy)->Apply(one_and_all_threads);
BENCHMARK_CAPTURE(pack, f32, GF_F32, GF_F32, false)->Apply(one_and_all_threads);
BENCHMARK_CAPTURE(pack, f32_transposed, GF_F32, GF_F32, true)->Apply(one_and_all_threads);
BENCHMARK_CAPTURE(pack, bf16, GF_BF16, GF_BF16, false)->Apply(one_and_all_threads);
BENCHMARK_CAPTURE(pack, bf16_transposed, GF_BF16, GF_BF16, true)->Apply(one_and_all_threads);
BENCHMARK_CAPTURE(pack, bf16_from_f32, GF_F32, GF_BF16, false)->Apply(one_and_all_threads);
BENCHMARK_CAPTURE(pack, f32_from_f16, GF_F16, GF_F32, false)->Apply(one_and_all_threads);
BENCHMARK(par_for)->Apply(one_and_all_threads);

}  // namespace
}  // namespace gatefold
