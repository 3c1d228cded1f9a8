#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "spec/dtype.h"
#include "spec/machine.h"
#include "spec/target.h"

namespace gatefold {

/// The CPU as records name it: the model's name with family and model number, since virtual
/// machines often show one name for several generations. E.g. "AMD EPYC (family 25 model 1)".
std::string host_cpu_name();

/// The name of host_cpu_profile().
inline constexpr const char* kHostProfile = "host";

/// Cache sizes of this machine as the kernel tells them; the generic ones where it does not.
CpuProfile host_cpu_profile();

/// Bytes of all last caches that this process's CPUs share in: weights that are to be cold must not
/// fit in them together, since threads leave lines in each.
int64_t last_level_cache_bytes();

/// Copies of a block's weights that are together at least this large are cold when their turn comes
/// again: more than four times the last cache. With twice its size some reads still hit: four
/// copies of 19 MB beside 32 MB of cache ran at 1.09 times the memory's speed.
int64_t cold_rotation_bytes();

/// How many L3 caches these CPUs span, from the kernel's description in `cpus_folder`
/// (/sys/devices/system/cpu), else from how many CPUs share one; at least 1.
int l3_caches(const std::filesystem::path& cpus_folder, const std::vector<int>& cpus,
              int shared_by);

/// The best target that this CPU runs; none at all is ErrorKind::unavailable.
Target host_target();
/// bf16 where the CPU multiplies it directly, else f32.
DType host_dtype();

/// The folder of the running program.
std::string program_directory();

}  // namespace gatefold
