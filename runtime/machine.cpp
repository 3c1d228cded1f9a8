#include "runtime/machine.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "gatefold/gatefold.h"
#include "runtime/cpu_features.h"
#include "runtime/sysfs.h"
#include "runtime/threads.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace gatefold {
namespace {

void assign_caches(const std::vector<Cache>& caches, Machine& machine) {
  for (const Cache& cache : caches) {
    if (cache.level == 1) machine.l1d = cache;
    if (cache.level == 2) machine.l2 = cache;
    if (cache.level == 3) machine.l3 = cache;
  }
}

#if defined(__x86_64__)

std::string without_extra_spaces(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '\0') break;
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

std::string brand_string() {
  uint32_t words[12] = {};
  for (uint32_t i = 0; i < 3; ++i) {
    uint32_t* w = words + 4 * i;
    if (!__get_cpuid(0x80000002 + i, w, w + 1, w + 2, w + 3)) return {};
  }
  return without_extra_spaces(std::string(reinterpret_cast<const char*>(words), sizeof words));
}

void identify(int /*cpu*/, Machine& machine) {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0, &a, &b, &c, &d)) {
    const uint32_t words[3] = {b, d, c};
    machine.vendor.assign(reinterpret_cast<const char*>(words), sizeof words);
  }
  if (__get_cpuid(1, &a, &b, &c, &d)) decode_signature(a, machine);
  machine.cpu = brand_string();
}

#elif defined(__aarch64__)

std::string text_of(const char* path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The register itself, of whichever core this runs on: Linux lets a process read it, and so does
/// an emulator that shows the files of another machine.
std::optional<uint64_t> own_register() {
  constexpr uint64_t kCpuid = uint64_t{1} << 11;
  if (!(read_hwcap_words().hwcap & kCpuid)) return {};
  uint64_t word = 0;
  __asm__("mrs %0, midr_el1" : "=r"(word));
  return word;
}

void identify(int cpu, Machine& machine) {
  const auto listed =
      parse_midr(first_line(cpu_folder(cpu) / "regs" / "identification" / "midr_el1"));
  if (const auto word = listed ? listed : own_register())
    return describe_core(decode_midr(*word), machine);
  if (const auto midr = midr_in_cpuinfo(text_of("/proc/cpuinfo"), cpu))
    describe_core(*midr, machine);
}

#endif

}  // namespace

void decode_signature(uint32_t eax, Machine& machine) {
  const int family = (eax >> 8) & 0xf;
  const bool extended = family == 0xf || family == 6;
  machine.family = family + (family == 0xf ? static_cast<int>((eax >> 20) & 0xff) : 0);
  machine.model = static_cast<int>((eax >> 4) & 0xf) +
                  (extended ? static_cast<int>((eax >> 16) & 0xf) << 4 : 0);
  machine.stepping = static_cast<int>(eax & 0xf);
}

void describe_core(const Midr& midr, Machine& machine) {
  machine.cpu = core_name(midr);
  machine.vendor = implementer_name(midr.implementer);
  machine.family = midr.implementer;
  machine.model = midr.part;
  machine.stepping = 16 * midr.variant + midr.revision;
}

Machine read_machine() {
  Machine machine;
  const int cpu = std::max(fastest_cpu(cpu_folder(0).parent_path(), process_cpus().cpus()), 0);
  identify(cpu, machine);
  assign_caches(read_caches(cpu), machine);
  machine.isa = best_target();
  machine.threads = gf_default_threads();
  return machine;
}

}  // namespace gatefold
