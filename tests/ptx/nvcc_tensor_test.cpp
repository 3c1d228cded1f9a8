#include <gtest/gtest.h>

#include <cmath>

#include "runtime/float_formats.h"
#include "tests/ptx/interpreter.h"
#include "tests/ptx/nvcc.h"

namespace gatefold::ptx {
namespace {

// The gate/up product with tensor cores, by hand in CUDA: three stages of cp.async, swizzled rows
// of x, weights in the packed layout [panel][k / 8][column][8], tails in rows and k by the size of
// the source. NVIDIA's compiler makes the PTX.
constexpr const char* kSource = R"(
typedef unsigned u32;
typedef unsigned short u16;
constexpr int kRows = 64, kColumns = 32, kDeep = 32, kStages = 3, kPanel = 64;
constexpr int kBytesOfX = kRows * kDeep * 2, kBytesOfW = kColumns * kDeep * 2;
constexpr int kStage = kBytesOfX + 2 * kBytesOfW;

__device__ void copy(u32 to, const u16* from, bool there) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to),
               "l"(__cvta_generic_to_global(from)), "r"(there ? 16 : 0));
}
__device__ void load4(u32* r, u32 address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
}
__device__ void multiply(float* c, const u32* a, const u32* b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE ".f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ u32 rounded(float low, float high) {
  u32 both;
  asm("cvt.rn." TYPE "x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

extern "C" __global__ void __launch_bounds__(128)
gate_up(const u16* x, const u16* gate, const u16* up, u16* h, int rows, int depth, int width) {
  extern __shared__ __align__(128) char ring[];
  const int thread = threadIdx.x, lane = thread % 32, warp_m = thread / 64, warp_n = thread / 32 % 2;
  const int row0 = blockIdx.y * kRows, column0 = blockIdx.x * kColumns;
  const int steps = (depth + kDeep - 1) / kDeep, words = steps * (kDeep / 8);
  const u32 base = (u32)__cvta_generic_to_shared(ring);

  auto issue = [&](int step) {
    const u32 to = base + step % kStages * kStage;
    if (step < steps) {
      for (int i = thread; i < kRows * 4; i += 128) {
        const int row = i / 4, word = i % 4, k = step * kDeep + word * 8;
        const bool there = row0 + row < rows && k < depth;
        copy(to + row * 64 + (word ^ row / 2 % 4) * 16, there ? x + (row0 + row) * depth + k : x, there);
      }
      const int word = thread / kColumns, column = column0 + thread % kColumns;
      const int from = ((column / kPanel * words + step * 4 + word) * kPanel + column % kPanel) * 8;
      copy(to + kBytesOfX + thread * 16, gate + from, true);
      copy(to + kBytesOfX + kBytesOfW + thread * 16, up + from, true);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };

  float sums[2][2][2][4] = {};
  for (int step = 0; step < kStages - 1; ++step) issue(step);
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
    BARRIER
    issue(step + kStages - 1);
    const u32 at = base + step % kStages * kStage;
    for (int half = 0; half < 2; ++half) {
      u32 a[2][4];
      for (int m = 0; m < 2; ++m) {
        const int row = warp_m * 32 + m * 16 + lane % 16, word = half * 2 + lane / 16;
        load4(a[m], at + row * 64 + (word ^ row / 2 % 4) * 16);
      }
      for (int matrix = 0; matrix < 2; ++matrix) {
        u32 b[4];
        const int word = half * 2 + lane / 8 % 2, column = warp_n * 16 + lane / 16 * 8 + lane % 8;
        load4(b, at + kBytesOfX + matrix * kBytesOfW + (word * kColumns + column) * 16);
        for (int m = 0; m < 2; ++m) {
          for (int n = 0; n < 2; ++n) multiply(sums[matrix][m][n], a[m], b + 2 * n);
        }
      }
    }
  }
  for (int m = 0; m < 2; ++m) {
    for (int n = 0; n < 2; ++n) {
      for (int lower = 0; lower < 2; ++lower) {
        const int row = row0 + warp_m * 32 + m * 16 + lower * 8 + lane / 4;
        const int column = column0 + warp_n * 16 + n * 8 + lane % 4 * 2;
        const float *g = sums[0][m][n] + 2 * lower, *u = sums[1][m][n] + 2 * lower;
        if (row < rows && column < width) {
          *(u32*)(h + row * width + column) =
              rounded(g[0] / (1 + expf(-g[0])) * u[0], g[1] / (1 + expf(-g[1])) * u[1]);
        }
      }
    }
  }
}
)";

struct GateUp {
  bool bf16;
  int rows = 70, depth = 72, width = 80;
  std::vector<uint16_t> x = halves(size_t(rows * depth), 1);
  std::vector<uint16_t> gate = halves(size_t(depth * width), 2), up = halves(gate.size(), 3);

  explicit GateUp(bool bf16) : bf16(bf16) {}

  float value(uint16_t bits) const { return bf16 ? f32_from_bf16(bits) : f32_from_f16(bits); }

  std::vector<uint16_t> halves(size_t count, uint32_t seed) const {
    std::vector<uint16_t> bits(count);
    for (uint16_t& each : bits) {
      seed = seed * 1664525 + 1013904223;
      const float number = static_cast<float>(seed >> 8) / (1 << 24) - 0.5f;
      each = bf16 ? bf16_from_f32(number) : f16_from_f32(number);
    }
    return bits;
  }

  /// [panel of 64][k / 8][column][8], zeros beyond the matrix.
  std::vector<uint16_t> packed(const std::vector<uint16_t>& matrix) const {
    const int words = (depth + 31) / 32 * 4, panels = (width + 63) / 64;
    std::vector<uint16_t> result(size_t(panels * words * 64 * 8));
    for (int k = 0; k < depth; ++k) {
      for (int n = 0; n < width; ++n) {
        result[size_t(((n / 64 * words + k / 8) * 64 + n % 64) * 8 + k % 8)] =
            matrix[size_t(k * width + n)];
      }
    }
    return result;
  }

  double wanted(int row, int column) const {
    double g = 0, u = 0;
    for (int k = 0; k < depth; ++k) {
      const double left = value(x[size_t(row * depth + k)]);
      g += left * value(gate[size_t(k * width + column)]);
      u += left * value(up[size_t(k * width + column)]);
    }
    return g / (1 + std::exp(-g)) * u;
  }

  /// The largest error over the largest value.
  double error(const Module& module) const {
    Memory memory;
    const size_t count = size_t(rows * width);
    const uint64_t h = memory.allocate(count * 2, "h");
    Launch launch;
    launch.grid = {3, 2, 1};
    launch.block = {128, 1, 1};
    launch.shared_bytes = 3 * 8192;
    launch.parameter(memory.upload(x, "x")).parameter(memory.upload(packed(gate), "gate"));
    launch.parameter(memory.upload(packed(up), "up")).parameter(h);
    run(module, "gate_up", launch.parameter(rows).parameter(depth).parameter(width), memory);
    EXPECT_EQ(memory.unwritten(h, count * 2), 0u);
    const auto found = memory.download<uint16_t>(h, count);
    double error = 0, largest = 0;
    for (int row = 0; row < rows; ++row) {
      for (int column = 0; column < width; ++column) {
        const double right = wanted(row, column);
        error = std::max(error, std::fabs(value(found[size_t(row * width + column)]) - right));
        largest = std::max(largest, std::fabs(right));
      }
    }
    return error / largest;
  }
};

class NvccTensor : public testing::Test {
 protected:
  void SetUp() override {
    if (nvcc().empty()) GTEST_SKIP() << "nvcc is neither on the PATH nor installed";
  }

  Module compiled(const std::string& type, int pending = 1, bool barrier = true) {
    return compiled_by_nvcc(kSource, {"TYPE=\"" + type + "\"", "PENDING=" + std::to_string(pending),
                                      barrier ? "BARRIER=__syncthreads();" : "BARRIER=;"});
  }

  std::string fault_of(const Module& module) {
    try {
      GateUp(true).error(module);
    } catch (const Fault& fault) {
      return fault.reason;
    }
    return "";
  }
};

TEST_F(NvccTensor, Bf16) { EXPECT_LE(GateUp(true).error(compiled("bf16")), 4e-3); }

TEST_F(NvccTensor, F16) { EXPECT_LE(GateUp(false).error(compiled("f16")), 6e-4); }

TEST_F(NvccTensor, WrongWaitCountIsCaught) {
  const std::string reason = fault_of(compiled("bf16", 2));
  EXPECT_NE(reason.find("still being copied"), std::string::npos) << reason;
}

TEST_F(NvccTensor, MissingBarrierIsCaught) {
  const std::string reason = fault_of(compiled("bf16", 1, false));
  EXPECT_NE(reason.find("race"), std::string::npos) << reason;
}

}  // namespace
}  // namespace gatefold::ptx
