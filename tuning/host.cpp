#include "tuning/host.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "runtime/machine.h"

namespace gatefold {

std::string host_cpu_name() {
  const Machine machine = read_machine();
  if (machine.cpu.empty()) return "unknown CPU";
  return machine.cpu + " (family " + std::to_string(machine.family) + " model " +
         std::to_string(machine.model) + ")";
}

CpuProfile host_cpu_profile() {
  const Machine machine = read_machine();
  CpuProfile profile;
  profile.name = "host";
  if (machine.l1d.bytes > 0) profile.l1d = machine.l1d.bytes;
  if (machine.l2.bytes > 0) profile.l2 = machine.l2.bytes;
  if (machine.l3.bytes > 0) profile.l3 = machine.l3.bytes;
  return profile;
}

int64_t last_level_cache_bytes() {
  const CpuProfile profile = host_cpu_profile();
  return std::max(profile.l2, profile.l3);
}

std::string program_directory() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::string(".") : self.parent_path().string();
}

}  // namespace gatefold
