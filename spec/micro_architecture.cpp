#include "spec/micro_architecture.h"

#include <array>
#include <charconv>
#include <utility>

namespace gatefold {
namespace {

struct Models {
  const char* name;
  const char* vendor;
  int family, first, last;
};

constexpr const char* kAmd = "AuthenticAMD";
constexpr const char* kIntel = "GenuineIntel";
// An Arm core's "family" is MIDR_EL1's implementer, its "model" the part number.
constexpr const char* kArm = "ARM";
constexpr const char* kApple = "Apple";
constexpr int kArmImplementer = 0x41, kAppleImplementer = 0x61;

// From the Linux kernel: AMD from bsp_init_amd() in arch/x86/kernel/cpu/amd.c, Intel from
// arch/x86/include/asm/intel-family.h, Arm and Apple from arch/arm64/include/asm/cputype.h. Only
// x86 cores with AVX2, since no target needs less. Models that the two do not tell apart (Cascade
// Lake is a Skylake server with another stepping) share a name.
constexpr std::array kModels = std::to_array<Models>({
    {"zen", kAmd, 0x17, 0x00, 0x2f},
    {"zen", kAmd, 0x17, 0x50, 0x5f},
    {"zen2", kAmd, 0x17, 0x30, 0x4f},
    {"zen2", kAmd, 0x17, 0x60, 0x7f},
    {"zen2", kAmd, 0x17, 0x90, 0x91},
    {"zen2", kAmd, 0x17, 0xa0, 0xaf},
    {"zen3", kAmd, 0x19, 0x00, 0x0f},
    {"zen3", kAmd, 0x19, 0x20, 0x5f},
    {"zen4", kAmd, 0x19, 0x10, 0x1f},
    {"zen4", kAmd, 0x19, 0x60, 0xaf},
    {"zen5", kAmd, 0x1a, 0x00, 0x2f},
    {"zen5", kAmd, 0x1a, 0x40, 0x4f},
    {"zen5", kAmd, 0x1a, 0x60, 0x7f},
    {"haswell", kIntel, 6, 0x3c, 0x3c},
    {"haswell", kIntel, 6, 0x3f, 0x3f},
    {"haswell", kIntel, 6, 0x45, 0x46},
    {"broadwell", kIntel, 6, 0x3d, 0x3d},
    {"broadwell", kIntel, 6, 0x47, 0x47},
    {"broadwell", kIntel, 6, 0x4f, 0x4f},
    {"broadwell", kIntel, 6, 0x56, 0x56},
    {"skylake", kIntel, 6, 0x4e, 0x4e},
    {"skylake", kIntel, 6, 0x5e, 0x5e},
    {"skylake", kIntel, 6, 0x8e, 0x8e},
    {"skylake", kIntel, 6, 0x9e, 0x9e},
    {"skylake", kIntel, 6, 0xa5, 0xa6},
    {"skylake-server", kIntel, 6, 0x55, 0x55},
    {"icelake-server", kIntel, 6, 0x6a, 0x6a},
    {"icelake-server", kIntel, 6, 0x6c, 0x6c},
    {"icelake", kIntel, 6, 0x7d, 0x7e},
    {"tigerlake", kIntel, 6, 0x8c, 0x8d},
    {"sapphirerapids", kIntel, 6, 0x8f, 0x8f},
    {"sapphirerapids", kIntel, 6, 0xcf, 0xcf},  // Emerald Rapids
    {"graniterapids", kIntel, 6, 0xad, 0xae},
    {"alderlake", kIntel, 6, 0x97, 0x97},
    {"alderlake", kIntel, 6, 0x9a, 0x9a},
    {"alderlake", kIntel, 6, 0xb7, 0xb7},  // Raptor Lake has the same cores
    {"alderlake", kIntel, 6, 0xba, 0xba},
    {"alderlake", kIntel, 6, 0xbf, 0xbf},
    {"cortex-a53", kArm, kArmImplementer, 0xd03, 0xd03},
    {"cortex-a55", kArm, kArmImplementer, 0xd05, 0xd05},
    {"cortex-a72", kArm, kArmImplementer, 0xd08, 0xd08},
    {"cortex-a76", kArm, kArmImplementer, 0xd0b, 0xd0b},
    {"neoverse-n1", kArm, kArmImplementer, 0xd0c, 0xd0c},
    {"cortex-a78", kArm, kArmImplementer, 0xd41, 0xd41},
    {"neoverse-v1", kArm, kArmImplementer, 0xd40, 0xd40},
    {"neoverse-n2", kArm, kArmImplementer, 0xd49, 0xd49},
    {"neoverse-v2", kArm, kArmImplementer, 0xd4f, 0xd4f},
    // Efficiency and performance cores, M1, then Pro, then Max: one chip's cores share a name.
    {"apple-m1", kApple, kAppleImplementer, 0x022, 0x025},
    {"apple-m1", kApple, kAppleImplementer, 0x028, 0x029},
});

/// A number that stands behind `word` in `text`; -1 if there is none.
int number_after(std::string_view text, std::string_view word) {
  const size_t at = text.rfind(word);
  if (at == std::string_view::npos) return -1;
  int value = -1;
  std::from_chars(text.data() + at + word.size(), text.data() + text.size(), value);
  return value;
}

/// Records hold the model's name, which says who made it unless an emulator chose the name.
const char* vendor_in(std::string_view cpu_name) {
  constexpr std::pair<const char*, const char*> kWords[] = {
      {"AMD", kAmd},      {"Intel", kIntel}, {"ARM", kArm},        {"Cortex", kArm},
      {"Neoverse", kArm}, {"Apple", kApple}, {"Icestorm", kApple}, {"Firestorm", kApple}};
  for (const auto& [word, vendor] : kWords) {
    if (cpu_name.find(word) != std::string_view::npos) return vendor;
  }
  return "";
}

}  // namespace

std::string micro_architecture(std::string_view vendor, int family, int model) {
  for (const Models& m : kModels) {
    if (vendor == m.vendor && family == m.family && model >= m.first && model <= m.last) {
      return m.name;
    }
  }
  return {};
}

std::string micro_architecture_of(std::string_view cpu_name) {
  const std::string profiles = micro_architecture_of_profile(cpu_name);
  if (!profiles.empty()) return profiles;
  return micro_architecture(vendor_in(cpu_name), number_after(cpu_name, "(family "),
                            number_after(cpu_name, " model "));
}

std::string micro_architecture_of_profile(std::string_view profile) {
  if (profile == "skylake-x") return "skylake-server";
  if (profile == "icelake") return "icelake-server";
  for (const Models& m : kModels) {
    if (profile == m.name) return m.name;
  }
  return {};
}

const char* name(CpuMatch match) {
  switch (match) {
    case CpuMatch::cpu:
      return "cpu";
    case CpuMatch::micro_architecture:
      return "micro_architecture";
    case CpuMatch::isa:
      return "isa";
  }
  return "";
}

}  // namespace gatefold
