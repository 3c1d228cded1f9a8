#include "runtime/midr.h"

#include <array>
#include <charconv>
#include <cstdio>

namespace gatefold {
namespace {

struct Name {
  int implementer, part;
  const char* name;
};

constexpr int kMaker = -1;  // as a part: the implementer's own name

// Numbers and names as `lscpu` prints them (util-linux, sys-utils/lscpu-arm.c), which has them from
// Arm's manuals and Linux's arch/arm64/include/asm/cputype.h. 64-bit cores that run Linux.
constexpr std::array kNames = std::to_array<Name>({
    {0x41, kMaker, "ARM"},
    {0x41, 0xd02, "Cortex-A34"},
    {0x41, 0xd03, "Cortex-A53"},
    {0x41, 0xd04, "Cortex-A35"},
    {0x41, 0xd05, "Cortex-A55"},
    {0x41, 0xd06, "Cortex-A65"},
    {0x41, 0xd07, "Cortex-A57"},
    {0x41, 0xd08, "Cortex-A72"},
    {0x41, 0xd09, "Cortex-A73"},
    {0x41, 0xd0a, "Cortex-A75"},
    {0x41, 0xd0b, "Cortex-A76"},
    {0x41, 0xd0c, "Neoverse-N1"},
    {0x41, 0xd0d, "Cortex-A77"},
    {0x41, 0xd0e, "Cortex-A76AE"},
    {0x41, 0xd40, "Neoverse-V1"},
    {0x41, 0xd41, "Cortex-A78"},
    {0x41, 0xd42, "Cortex-A78AE"},
    {0x41, 0xd44, "Cortex-X1"},
    {0x41, 0xd46, "Cortex-A510"},
    {0x41, 0xd47, "Cortex-A710"},
    {0x41, 0xd48, "Cortex-X2"},
    {0x41, 0xd49, "Neoverse-N2"},
    {0x41, 0xd4a, "Neoverse-E1"},
    {0x41, 0xd4b, "Cortex-A78C"},
    {0x41, 0xd4c, "Cortex-X1C"},
    {0x41, 0xd4d, "Cortex-A715"},
    {0x41, 0xd4e, "Cortex-X3"},
    {0x41, 0xd4f, "Neoverse-V2"},
    {0x43, kMaker, "Cavium"},
    {0x43, 0x0a1, "ThunderX-88XX"},
    {0x43, 0x0af, "ThunderX2-99xx"},
    {0x46, kMaker, "FUJITSU"},
    {0x46, 0x001, "A64FX"},
    {0x48, kMaker, "HiSilicon"},
    {0x48, 0xd01, "Kunpeng-920"},
    {0x4e, kMaker, "NVIDIA"},
    {0x4e, 0x003, "Denver 2"},
    {0x4e, 0x004, "Carmel"},
    {0x51, kMaker, "Qualcomm"},
    {0x51, 0x802, "Kryo-3XX-Gold"},
    {0x51, 0x803, "Kryo-3XX-Silver"},
    {0x51, 0x804, "Kryo-4XX-Gold"},
    {0x51, 0x805, "Kryo-4XX-Silver"},
    {0x51, 0xc00, "Falkor"},
    {0x53, kMaker, "Samsung"},
    {0x61, kMaker, "Apple"},
    {0x61, 0x022, "Icestorm-M1"},
    {0x61, 0x023, "Firestorm-M1"},
    {0x61, 0x024, "Icestorm-M1-Pro"},
    {0x61, 0x025, "Firestorm-M1-Pro"},
    {0x61, 0x028, "Icestorm-M1-Max"},
    {0x61, 0x029, "Firestorm-M1-Max"},
    {0x61, 0x032, "Blizzard-M2"},
    {0x61, 0x033, "Avalanche-M2"},
    {0x70, kMaker, "Phytium"},
    {0xc0, kMaker, "Ampere"},
    {0xc0, 0xac3, "Ampere-1"},
    {0xc0, 0xac4, "Ampere-1a"},
});

const char* name_of(int implementer, int part) {
  for (const Name& known : kNames) {
    if (known.implementer == implementer && known.part == part) return known.name;
  }
  return nullptr;
}

std::string numbered(const char* format, int number) {
  char text[32];
  std::snprintf(text, sizeof text, format, static_cast<unsigned>(number));
  return text;
}

/// "0xd0c" or "3".
std::optional<uint64_t> number(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end == text.data()) return {};
  return value;
}

/// Cuts the next line off `text`.
std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return line;
}

/// The value of "key<tabs>: value" if the line is of that key.
std::optional<uint64_t> value_of(std::string_view line, std::string_view key) {
  const size_t colon = line.find(": ");
  if (colon == line.npos || !line.starts_with(key)) return {};
  if (line.substr(key.size(), colon - key.size()).find_first_not_of(" \t") != line.npos) return {};
  return number(line.substr(colon + 2));
}

}  // namespace

Midr decode_midr(uint64_t word) {
  const auto field = [word](int from, int bits) {
    return static_cast<int>(word >> from & ((uint64_t{1} << bits) - 1));
  };
  return {field(24, 8), field(20, 4), field(4, 12), field(0, 4)};
}

std::string implementer_name(int implementer) {
  const char* name = name_of(implementer, kMaker);
  return name ? name : numbered("implementer 0x%02x", implementer);
}

std::string core_name(const Midr& midr) {
  if (const char* name = name_of(midr.implementer, midr.part)) return name;
  return implementer_name(midr.implementer) + numbered(" part 0x%03x", midr.part);
}

std::optional<uint64_t> parse_midr(std::string_view text) { return number(text); }

std::optional<Midr> midr_in_cpuinfo(std::string_view text, int cpu) {
  bool in_cpu = false, has_part = false;
  Midr midr;
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (const auto n = value_of(line, "processor")) in_cpu = *n == static_cast<uint64_t>(cpu);
    if (!in_cpu) continue;
    const auto read = [line](const char* key, int& into) {
      const auto value = value_of(line, key);
      if (value) into = static_cast<int>(*value & 0xfff);
      return value.has_value();
    };
    read("CPU implementer", midr.implementer);
    read("CPU variant", midr.variant);
    read("CPU revision", midr.revision);
    has_part = read("CPU part", midr.part) || has_part;
  }
  return has_part && midr.implementer > 0 ? std::optional(midr) : std::nullopt;
}

}  // namespace gatefold
