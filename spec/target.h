#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gatefold {

enum class Arch { x86_64, arm64 };

struct ArchInfo {
  const char* name;
  Arch arch;
  const char* triplet;    ///< of GNU tools and of Debian's cross packages
  const char* processor;  ///< what `uname -m` and CMAKE_SYSTEM_PROCESSOR call it
};

/// What runs a kernel's loops.
enum class Device { cpu, cuda, opencl };

const char* name(Device device);

enum class Target {
  x86_avx2,
  x86_avx512,
  x86_avx512_bf16,
  arm64_neon,
  arm64_neon_dotprod,
  cuda_sm80,
  cuda_sm90,
  opencl
};

/// How a kernel multiplies bf16 weights: widened to f32, or in pairs by a dot instruction.
enum class Bf16Path { widen, dot };

struct TargetInfo {
  std::string name;
  Target target;
  Device device;
  Arch arch;             ///< of a device's target: that of the code which launches its kernels
  int vector_lanes;      ///< f32 lanes of one register; of a device: threads of one warp
  int vector_registers;  ///< architectural vector registers; of a device: most of one thread
  Bf16Path bf16;
  bool sums_f16;  ///< has multiply-adds of f16, by twice the lanes
  /// Halide 21 closes the feature chain only inside its code generator, so it is spelled out here.
  std::string halide;
};

/// CPUs by architecture, then from the lowest to the highest: a CPU that runs one runs all before
/// it of the same architecture. Devices follow.
const std::vector<TargetInfo>& all_targets();
/// Those of CPUs.
std::vector<TargetInfo> cpu_targets();
std::vector<TargetInfo> targets_of(Arch arch);
/// Those of devices.
std::vector<TargetInfo> device_targets();
const TargetInfo& info(Target target);
const TargetInfo& target_named(std::string_view name);

const std::vector<ArchInfo>& all_archs();
const ArchInfo& info(Arch arch);
/// The one that all these targets are for; a usage error naming two if there are several, since a
/// library is linked for one.
Arch arch_of(const std::vector<Target>& targets);
/// The architecture that this program was compiled for.
Arch host_arch();

}  // namespace gatefold
