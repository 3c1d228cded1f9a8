#pragma once

#include <cstdint>
#include <string>

#include "spec/machine.h"

namespace gatefold {

/// The CPU as records name it: the model's name with family and model number, since virtual
/// machines often show one name for several generations. E.g. "AMD EPYC (family 25 model 1)".
std::string host_cpu_name();

/// Cache sizes of this machine as the kernel tells them; the generic ones where it does not.
CpuProfile host_cpu_profile();

/// Bytes of the last cache that one thread can fill.
int64_t last_level_cache_bytes();

/// The folder of the running program.
std::string program_directory();

}  // namespace gatefold
