#include "spec/target.h"

#include <algorithm>
#include <iterator>

#include "spec/error.h"
#include "spec/names.h"

namespace gatefold {
namespace {

#define GATEFOLD_AVX2 "x86-64-linux-sse41-avx-f16c-fma-avx2"
#define GATEFOLD_AVX512 GATEFOLD_AVX2 "-avx512-avx512_skylake"
#define GATEFOLD_NEON "arm-64-linux"
#define GATEFOLD_HOST "x86-64-linux"

std::vector<TargetInfo> make_targets() {
  constexpr Arch x86 = Arch::x86_64, arm = Arch::arm64;
  constexpr Device cpu = Device::cpu, cuda = Device::cuda, opencl = Device::opencl;
  return {
      {"x86-avx2", Target::x86_avx2, cpu, x86, 8, 16, Bf16Path::widen, false, GATEFOLD_AVX2},
      {"x86-avx512", Target::x86_avx512, cpu, x86, 16, 32, Bf16Path::widen, false, GATEFOLD_AVX512},
      // Halide 21 knows vdpbf16ps only together with the rest of Zen 4's extensions.
      {"x86-avx512-bf16", Target::x86_avx512_bf16, cpu, x86, 16, 32, Bf16Path::dot, false,
       GATEFOLD_AVX512 "-avx512_cannonlake-avx512_zen4"},
      // Halide 21 has no bfdot; its own bf16 of NEON is slower than words widened by a shift.
      {"arm64-neon", Target::arm64_neon, cpu, arm, 4, 32, Bf16Path::widen, false, GATEFOLD_NEON},
      {"arm64-neon-dotprod", Target::arm64_neon_dotprod, cpu, arm, 4, 32, Bf16Path::widen, true,
       GATEFOLD_NEON "-arm_dot_prod-arm_fp16"},
      // The capability is spelled out: without one Halide asks the driver, and so needs a device.
      {"cuda-sm80", Target::cuda_sm80, cuda, x86, 32, 255, Bf16Path::widen, false,
       GATEFOLD_HOST "-cuda-cuda_capability_80"},
      // 8.6 is the highest that Halide 21 knows; PTX runs on every later device.
      {"cuda-sm90", Target::cuda_sm90, cuda, x86, 32, 255, Bf16Path::widen, false,
       GATEFOLD_HOST "-cuda-cuda_capability_86"},
      {"opencl", Target::opencl, opencl, x86, 32, 255, Bf16Path::widen, false,
       GATEFOLD_HOST "-opencl"},
  };
}

template <typename Wanted>
std::vector<TargetInfo> targets_that(Wanted wanted) {
  std::vector<TargetInfo> targets;
  std::copy_if(all_targets().begin(), all_targets().end(), std::back_inserter(targets), wanted);
  return targets;
}

}  // namespace

const char* name(Device device) {
  switch (device) {
    case Device::cpu:
      return "cpu";
    case Device::cuda:
      return "cuda";
    case Device::opencl:
      return "opencl";
  }
  return "";
}

const std::vector<TargetInfo>& all_targets() {
  static const std::vector<TargetInfo> targets = make_targets();
  return targets;
}

std::vector<TargetInfo> cpu_targets() {
  return targets_that([](const TargetInfo& t) { return t.device == Device::cpu; });
}

std::vector<TargetInfo> targets_of(Arch arch) {
  return targets_that(
      [&](const TargetInfo& t) { return t.device == Device::cpu && t.arch == arch; });
}

std::vector<TargetInfo> device_targets() {
  return targets_that([](const TargetInfo& t) { return t.device != Device::cpu; });
}

const TargetInfo& info(Target target) { return all_targets().at(static_cast<size_t>(target)); }

const TargetInfo& target_named(std::string_view name) {
  return find_named(all_targets(), name, "target");
}

const std::vector<ArchInfo>& all_archs() {
  static const std::vector<ArchInfo> archs = {
      {"x86_64", Arch::x86_64, "x86_64-linux-gnu", "x86_64"},
      {"arm64", Arch::arm64, "aarch64-linux-gnu", "aarch64"},
  };
  return archs;
}

const ArchInfo& info(Arch arch) { return all_archs().at(static_cast<size_t>(arch)); }

Arch arch_of(const std::vector<Target>& targets) {
  const TargetInfo& first = info(targets.at(0));
  for (const Target target : targets) {
    const TargetInfo& other = info(target);
    if (other.arch == first.arch) continue;
    fail_usage("--target: '" + first.name + "' is for " + info(first.arch).name + " and '" +
               other.name + "' for " + info(other.arch).name +
               ", wanted targets of one architecture: a library is linked for one");
  }
  return first.arch;
}

Arch host_arch() {
#if defined(__x86_64__)
  return Arch::x86_64;
#elif defined(__aarch64__)
  return Arch::arm64;
#else
#error "gatefold runs on x86_64 and aarch64"
#endif
}

}  // namespace gatefold
