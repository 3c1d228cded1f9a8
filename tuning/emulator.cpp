#include "tuning/emulator.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

namespace gatefold {
namespace {

/// What the program believes, and the same file past what emulators answer themselves.
constexpr const char* kToldFile = "/proc/self/exe";
constexpr const char* kKernelsFile = "/proc/thread-self/exe";

uint16_t elf_machine(Arch arch) {
  switch (arch) {
    case Arch::x86_64:
      return EM_X86_64;
    case Arch::arm64:
      return EM_AARCH64;
  }
  return EM_NONE;
}

std::string machine_name(uint16_t machine) {
  for (const Arch arch : {Arch::x86_64, Arch::arm64}) {
    if (elf_machine(arch) == machine) return info(arch).name;
  }
  return "ELF machine " + std::to_string(machine);
}

/// The value of a line "key<tab>: value" of /proc/cpuinfo; empty: there is none.
std::string cpuinfo_value(const std::string& cpuinfo, const std::string& key) {
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    if (line.find_first_not_of(" \t", key.size()) != colon) continue;
    const size_t value = line.find_first_not_of(" \t", colon + 1);
    if (value != std::string::npos) return line.substr(value);
  }
  return {};
}

/// A line that only the kernel of that architecture writes.
const char* cpuinfo_mark(Arch arch) {
  switch (arch) {
    case Arch::x86_64:
      return "vendor_id";
    case Arch::arm64:
      return "CPU implementer";
  }
  return "";
}

/// Arm gives no maker of chips the number 0: it is for software, and QEMU's own CPU has it.
bool is_software_cpu(const std::string& implementer) {
  return !implementer.empty() && implementer.find_first_not_of("0x") == std::string::npos;
}

std::optional<uint16_t> machine_of_file(int fd) {
  Elf64_Ehdr header = {};
  constexpr size_t kNeeded = offsetof(Elf64_Ehdr, e_machine) + sizeof header.e_machine;
  if (pread(fd, &header, kNeeded, 0) != static_cast<ssize_t>(kNeeded)) return std::nullopt;
  return header.e_machine;
}

/// True where it cannot be found out.
bool same_file(int a, int b) {
  struct stat first = {}, second = {};
  if (fstat(a, &first) != 0 || fstat(b, &second) != 0) return true;
  return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

void look_at_files(MachineSigns& signs) {
  const int kernels = open(kKernelsFile, O_RDONLY | O_CLOEXEC);
  if (kernels < 0) return;
  std::error_code ignored;
  signs.file = std::filesystem::read_symlink(kKernelsFile, ignored).filename().string();
  signs.file_machine = machine_of_file(kernels);
  const int told = open(kToldFile, O_RDONLY | O_CLOEXEC);
  if (told >= 0) signs.file_is_program = same_file(kernels, told);
  if (told >= 0) close(told);
  close(kernels);
}

std::string look_for_emulator() {
  MachineSigns signs;
  signs.program = host_arch();
  look_at_files(signs);
  std::ifstream cpuinfo("/proc/cpuinfo");
  signs.cpuinfo.assign(std::istreambuf_iterator<char>(cpuinfo), {});
  return emulator_in(signs);
}

}  // namespace

std::string emulator_in(const MachineSigns& s) {
  const std::string file = s.file.empty() ? "another program" : s.file;
  if (s.file_machine && *s.file_machine != elf_machine(s.program)) {
    return file + " on " + machine_name(*s.file_machine);
  }
  if (s.file_machine && !s.file_is_program) return file;
  for (const Arch other : {Arch::x86_64, Arch::arm64}) {
    const bool foreign =
        other != s.program && !cpuinfo_value(s.cpuinfo, cpuinfo_mark(other)).empty();
    if (foreign) return std::string("an emulator on ") + info(other).name;
  }
  if (is_software_cpu(cpuinfo_value(s.cpuinfo, "CPU implementer"))) {
    return "a CPU of software (implementer 0x00)";
  }
  return {};
}

const std::string& this_emulator() {
  static const std::string found = look_for_emulator();
  return found;
}

}  // namespace gatefold
