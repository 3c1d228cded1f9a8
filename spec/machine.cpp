#include "spec/machine.h"

#include "spec/error.h"
#include "spec/micro_architecture.h"
#include "spec/names.h"

namespace gatefold {

namespace {

constexpr int64_t KiB = 1 << 10, MiB = 1 << 20;

// Cache sizes from the vendors' optimisation manuals; l3 is one core complex's or a modest slice.
// For Arm's cores from their technical reference manuals, where a chip may choose what most chips
// have: Cortex-A76 as in phones and single-board computers, Neoverse N1 and V2 as in servers, whose
// last level is one cache for the whole chip. Apple has published none: Dougall Johnson's and
// AnandTech's measurements of the M1's performance cores, which share 12 MiB of L2 by four.
struct Profile {
  const char* name;
  Target target;
  int64_t l1d, l2, l3;
};
const std::vector<Profile> kProfiles = {
    {"zen3", Target::x86_avx2, 32 * KiB, 512 * KiB, 32 * MiB},
    {"zen4", Target::x86_avx512_bf16, 32 * KiB, 1 * MiB, 32 * MiB},
    {"zen5", Target::x86_avx512_bf16, 48 * KiB, 1 * MiB, 32 * MiB},
    {"skylake-x", Target::x86_avx512, 32 * KiB, 1 * MiB, 16 * MiB},
    {"icelake", Target::x86_avx512, 48 * KiB, 1280 * KiB, 24 * MiB},
    {"sapphirerapids", Target::x86_avx512_bf16, 48 * KiB, 2 * MiB, 32 * MiB},
    {"cortex-a76", Target::arm64_neon_dotprod, 64 * KiB, 512 * KiB, 2 * MiB},
    {"neoverse-n1", Target::arm64_neon_dotprod, 64 * KiB, 1 * MiB, 32 * MiB},
    {"neoverse-v2", Target::arm64_neon_dotprod, 64 * KiB, 1 * MiB, 32 * MiB},
    {"apple-m1", Target::arm64_neon_dotprod, 128 * KiB, 3 * MiB, 12 * MiB},
};

std::vector<CpuProfile> make_profiles() {
  std::vector<CpuProfile> all = {{"generic", 32 * KiB, 512 * KiB, 16 * MiB}};
  for (const Profile& p : kProfiles) {
    all.push_back({p.name, p.l1d, p.l2, p.l3, micro_architecture_of_profile(p.name),
                   info(p.target).arch, p.target});
  }
  return all;
}

}  // namespace

const std::vector<CpuProfile>& all_cpu_profiles() {
  static const std::vector<CpuProfile> profiles = make_profiles();
  return profiles;
}

const CpuProfile& cpu_profile_named(std::string_view name) {
  return find_named(all_cpu_profiles(), name, "CPU profile");
}

const CpuProfile& cpu_profile_named(std::string_view name, Arch arch) {
  const CpuProfile& profile = cpu_profile_named(name);
  if (!profile.arch || *profile.arch == arch) return profile;
  std::string fitting;
  for (const CpuProfile& p : all_cpu_profiles()) {
    if (!p.arch || *p.arch == arch) fitting += (fitting.empty() ? "" : ", ") + p.name;
  }
  fail_usage("--cpu: '" + profile.name + "' is of " + info(*profile.arch).name +
             ", the targets of " + info(arch).name + "; wanted one of " + fitting);
}

}  // namespace gatefold
