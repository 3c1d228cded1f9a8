#include "tuning/gpu_constants.h"

#include <algorithm>
#include <array>

namespace gatefold {
namespace {

// L2: the A100 whitepaper's 5120 bytes a clock for 108 multiprocessors; of the H100 nothing is
// published, so as many for its 132; of the others less, as their whole is of GeForce boards.
// mma.sync: Sun et al., "Dissecting Tensor Cores via Microbenchmarks" (2022), for the latency; Luo
// et al., "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture" (2024): 62.9 % of the
// peak on Hopper, where only wgmma reaches it. The rest are round numbers.
constexpr std::array kConstants = std::to_array<GpuConstants>({
    {80, 700e-9, 200e-9, 0.92, 47, 25, 0.95, 2e-6},
    {86, 600e-9, 200e-9, 0.92, 20, 33, 0.95, 2e-6},
    {89, 600e-9, 200e-9, 0.92, 20, 33, 0.95, 2e-6},
    {90, 700e-9, 200e-9, 0.92, 39, 33, 0.629, 2e-6},
});

}  // namespace

const GpuConstants& gpu_constants(int capability) {
  const auto above = std::find_if(kConstants.begin() + 1, kConstants.end(),
                                  [&](const auto& c) { return c.capability > capability; });
  return *(above - 1);
}

}  // namespace gatefold
