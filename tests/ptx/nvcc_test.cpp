#include <gtest/gtest.h>

#include <cmath>

#include "tests/ptx/interpreter.h"
#include "tests/ptx/nvcc.h"

namespace gatefold::ptx {
namespace {

// What NVIDIA's own compiler makes of plain CUDA: a second opinion of how PTX is written and meant.
constexpr const char* kSource = R"(
extern "C" __global__ void tiled(const float* a, const float* b, float* c, int rows, int columns,
                                 int depth) {
  __shared__ float a_tile[16][16], b_tile[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < depth; k += 16) {
    const int a_k = k + threadIdx.x, b_k = k + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = row < rows && a_k < depth ? a[row * depth + a_k] : 0;
    b_tile[threadIdx.y][threadIdx.x] = b_k < depth && column < columns ? b[b_k * columns + column] : 0;
    FIRST_BARRIER
    for (int i = 0; i < 16; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    __syncthreads();
  }
  if (row < rows && column < columns) c[row * columns + column] = sum;
}

extern "C" __global__ void gated(const float* gate, const float* up, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = gate[i];
  y[i] = g / (1 + expf(-g)) * up[i] + tanhf(g) + erff(up[i]);
}

extern "C" __global__ void row_sums(const float* x, float* sums, int columns) {
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += x[blockIdx.x * columns + i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) atomicAdd(&sums[blockIdx.x], sum);
}
)";

class Nvcc : public testing::Test {
 protected:
  void SetUp() override {
    if (nvcc().empty()) GTEST_SKIP() << "nvcc is neither on the PATH nor installed";
  }

  Module compiled(const std::string& barrier = "__syncthreads();") {
    return compiled_by_nvcc(kSource, {"FIRST_BARRIER=" + barrier});
  }
};

std::vector<float> values(size_t count, uint32_t seed) {
  std::vector<float> values(count);
  for (float& value : values) {
    seed = seed * 1664525 + 1013904223;
    value = (static_cast<float>(seed >> 24) - 128) / 32;
  }
  return values;
}

struct Tiled {
  int rows = 21, columns = 35, depth = 50;
  std::vector<float> a = values(size_t(rows * depth), 1), b = values(size_t(depth * columns), 2);

  std::vector<float> by(const Module& module) const {
    Memory memory;
    const uint64_t c = memory.allocate(size_t(rows * columns) * 4, "c");
    Launch launch;
    launch.grid = {3, 2, 1};
    launch.block = {16, 16, 1};
    launch.parameter(memory.upload(a, "a")).parameter(memory.upload(b, "b")).parameter(c);
    launch.parameter(rows).parameter(columns).parameter(depth);
    run(module, "tiled", launch, memory);
    return memory.download<float>(c, size_t(rows * columns));
  }
};

TEST_F(Nvcc, TiledProduct) {
  const Tiled tiled;
  const std::vector<float> found = tiled.by(compiled());
  for (int row = 0; row < tiled.rows; ++row) {
    for (int column = 0; column < tiled.columns; ++column) {
      double wanted = 0;
      for (int k = 0; k < tiled.depth; ++k) {
        wanted +=
            tiled.a[size_t(row * tiled.depth + k)] * tiled.b[size_t(k * tiled.columns + column)];
      }
      EXPECT_EQ(found[size_t(row * tiled.columns + column)], wanted) << row << ", " << column;
    }
  }
}

TEST_F(Nvcc, TiledProductWithoutItsBarrier) {
  try {
    Tiled().by(compiled(";"));
    FAIL() << "found no fault";
  } catch (const Fault& fault) {
    EXPECT_NE(fault.reason.find("race"), std::string::npos) << fault.what();
  }
}

TEST_F(Nvcc, Functions) {
  const size_t count = 1000;
  std::vector<float> gate = values(count, 3), up = values(count, 4);
  gate[1] = -100;
  gate[2] = 100;
  Memory memory;
  const uint64_t y = memory.allocate(count * 4, "y");
  Launch launch;
  launch.grid = {8, 1, 1};
  launch.block = {128, 1, 1};
  launch.parameter(memory.upload(gate, "gate")).parameter(memory.upload(up, "up")).parameter(y);
  run(compiled(), "gated", launch.parameter(static_cast<int>(count)), memory);
  const auto found = memory.download<float>(y, count);
  for (size_t i = 0; i < count; ++i) {
    const double g = gate[i];
    const double wanted = g / (1 + std::exp(-g)) * up[i] + std::tanh(g) + std::erf(double(up[i]));
    EXPECT_NEAR(found[i], wanted, 2e-6 * (1 + std::fabs(wanted))) << g;
  }
}

TEST_F(Nvcc, WarpReduction) {
  const std::vector<float> x = values(3 * 100, 5);
  Memory memory;
  const uint64_t sums = memory.upload(std::vector<float>(3, 1000), "sums");
  Launch launch;
  launch.grid = {3, 1, 1};
  launch.block = {32, 1, 1};
  run(compiled(), "row_sums",
      launch.parameter(memory.upload(x, "x")).parameter(sums).parameter(100), memory);
  const auto found = memory.download<float>(sums, 3);
  for (size_t row = 0; row < 3; ++row) {
    float wanted = 1000;
    for (size_t i = 0; i < 100; ++i) wanted += x[row * 100 + i];
    EXPECT_EQ(found[row], wanted);
  }
}

}  // namespace
}  // namespace gatefold::ptx
