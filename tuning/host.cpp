#include "tuning/host.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "runtime/machine.h"
#include "runtime/sysfs.h"
#include "runtime/threads.h"
#include "spec/error.h"
#include "spec/micro_architecture.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;

/// The CPUs that share a CPU's L3, as the kernel writes them ("0-7,64-71"); empty: it does not say.
std::string l3_sharers(const fs::path& cpu_folder) {
  for (int index = 0; index < 8; ++index) {
    const fs::path cache = cpu_folder / "cache" / ("index" + std::to_string(index));
    if (first_line(cache / "level") == "3") return first_line(cache / "shared_cpu_list");
  }
  return "";
}

bool usable(const TargetInfo& target) { return gf_isa_usable(target.name.c_str()) != 0; }

}  // namespace

std::string host_cpu_name() {
  const Machine machine = read_machine();
  if (machine.cpu.empty()) return "unknown CPU";
  return machine.cpu + " (family " + std::to_string(machine.family) + " model " +
         std::to_string(machine.model) + ")";
}

CpuProfile host_cpu_profile() {
  const Machine machine = read_machine();
  CpuProfile profile;
  profile.name = kHostProfile;
  profile.core = micro_architecture_of(host_cpu_name());
  if (machine.l1d.bytes > 0) profile.l1d = machine.l1d.bytes;
  if (machine.l2.bytes > 0) profile.l2 = machine.l2.bytes;
  if (machine.l3.bytes > 0) profile.l3 = machine.l3.bytes;
  return profile;
}

int64_t last_level_cache_bytes() {
  const CpuProfile profile = host_cpu_profile();
  const int caches =
      l3_caches("/sys/devices/system/cpu", process_cpus().cpus(), read_machine().l3.shared_by);
  return std::max(profile.l2, profile.l3 * caches);
}

int64_t cold_rotation_bytes() { return 4 * last_level_cache_bytes() + 1; }

int l3_caches(const fs::path& cpus_folder, const std::vector<int>& cpus, int shared_by) {
  std::set<std::string> seen;
  for (const int cpu : cpus) {
    const std::string sharers = l3_sharers(cpus_folder / ("cpu" + std::to_string(cpu)));
    if (!sharers.empty()) seen.insert(sharers);
  }
  if (!seen.empty()) return static_cast<int>(seen.size());
  if (shared_by < 1 || cpus.empty()) return 1;
  return (static_cast<int>(cpus.size()) + shared_by - 1) / shared_by;
}

Target host_target() {
  const std::vector<TargetInfo> targets = targets_of(host_arch());
  const auto best = std::find_if(targets.rbegin(), targets.rend(), usable);
  if (best == targets.rend()) {
    fail_unavailable("--target: 'host', but this CPU runs none of the targets; wanted at least " +
                     targets.front().name);
  }
  return best->target;
}

DType host_dtype() {
  for (const TargetInfo& target : targets_of(host_arch())) {
    if (target.bf16 == Bf16Path::dot && usable(target)) return DType::bf16;
  }
  return DType::f32;
}

std::string program_directory() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string(".") : self.parent_path().string();
}

}  // namespace gatefold
