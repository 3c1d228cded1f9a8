#include "spec/gpu_profile.h"

#include "spec/names.h"

namespace gatefold {
namespace {

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;
constexpr double MHz = 1e6, GB = 1e9, TFLOPS = 1e12;

// Peaks as the documents print them. Those of tensor cores are without sparsity: data sheets of Ada
// and Hopper print twice as much and say so in a footnote. GeForce boards sum in f32 at half the
// rate of f16, hence 71 where the A10, of a smaller chip, has 125. An H100 runs tensor cores at
// 1830 MHz and everything else at 1980 MHz. Of the H200 its data sheet gives memory and peaks; the
// rest is the H100's, since the chip is the same.
std::vector<GpuProfile> make_profiles() {
  return {
      {"a100-40gb", "A100 SXM4 40 GB", 80, 108, 1410 * MHz, 1555 * GB, 40 * MiB, 19.5 * TFLOPS,
       312 * TFLOPS, "NVIDIA A100 data sheet; NVIDIA A100 Tensor Core GPU Architecture whitepaper"},
      {"a100-80gb", "A100 SXM4 80 GB", 80, 108, 1410 * MHz, 2039 * GB, 40 * MiB, 19.5 * TFLOPS,
       312 * TFLOPS, "NVIDIA A100 data sheet; NVIDIA A100 Tensor Core GPU Architecture whitepaper"},
      {"a10", "A10 PCIe", 86, 72, 1695 * MHz, 600 * GB, 6 * MiB, 31.2 * TFLOPS, 125 * TFLOPS,
       "NVIDIA A10 data sheet; NVIDIA Ampere GA102 GPU Architecture whitepaper"},
      {"rtx-3090", "GeForce RTX 3090", 86, 82, 1695 * MHz, 936 * GB, 6 * MiB, 35.6 * TFLOPS,
       71 * TFLOPS, "NVIDIA Ampere GA102 GPU Architecture whitepaper"},
      {"l4", "L4 PCIe", 89, 58, 2040 * MHz, 300 * GB, 48 * MiB, 30.3 * TFLOPS, 121 * TFLOPS,
       "NVIDIA L4 data sheet; NVIDIA Ada GPU Architecture whitepaper"},
      {"rtx-4090", "GeForce RTX 4090", 89, 128, 2520 * MHz, 1008 * GB, 73728 * KiB, 82.6 * TFLOPS,
       165.2 * TFLOPS, "NVIDIA Ada GPU Architecture whitepaper"},
      {"h100-sxm", "H100 SXM5 80 GB", 90, 132, 1980 * MHz, 3350 * GB, 50 * MiB, 66.9 * TFLOPS,
       989.4 * TFLOPS,
       "NVIDIA H100 data sheet; NVIDIA H100 Tensor Core GPU Architecture whitepaper"},
      {"h200-sxm", "H200 SXM 141 GB", 90, 132, 1980 * MHz, 4800 * GB, 50 * MiB, 66.9 * TFLOPS,
       989.4 * TFLOPS,
       "NVIDIA H200 data sheet; NVIDIA H100 Tensor Core GPU Architecture whitepaper"},
  };
}

}  // namespace

const std::vector<GpuProfile>& all_gpu_profiles() {
  static const std::vector<GpuProfile> profiles = make_profiles();
  return profiles;
}

const GpuProfile& gpu_profile_named(std::string_view name) {
  return find_named(all_gpu_profiles(), name, "GPU profile");
}

}  // namespace gatefold
