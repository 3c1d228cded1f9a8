#include "runtime/elf_file.h"

#include <algorithm>
#include <cstring>

#include "runtime/elf_image.h"
#include "runtime/elf_reader.h"

namespace gatefold {
namespace {

#if defined(__x86_64__)
constexpr int kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr int kMachine = EM_AARCH64;
#endif

int machine_of(const char* architecture) {
  if (!architecture) return EM_NONE;
  return std::strcmp(architecture, "arm64") == 0 ? EM_AARCH64 : EM_X86_64;
}

/// A program that runs at any address is of the type of a shared library: it names its loader, or,
/// linked statically, says so in its dynamic section.
bool is_program(const ElfReader& elf) {
  if (elf.header().e_type == ET_EXEC) return true;
  if (elf.header().e_type != ET_DYN) return false;
  const auto names_loader = [](const Elf64_Phdr& s) { return s.p_type == PT_INTERP; };
  const bool any = std::any_of(elf.segments().begin(), elf.segments().end(), names_loader);
  return any || ElfImage(elf).says_program();
}

}  // namespace

gf_status check_elf_file(const char* path) {
  ElfReader elf(path);
  if (const gf_status status = elf.read_headers(kMachine); status != GF_OK) return status;
  if (elf.header().e_type != ET_DYN) return elf.bad("not a shared library");
  const char* const wrong = ElfImage(elf).complaint();
  return wrong ? elf.bad(wrong) : GF_OK;
}

gf_status check_elf_program(const char* path, const char* architecture) {
  ElfReader elf(path);
  const gf_status status = elf.read_headers(machine_of(architecture));
  if (status != GF_OK) return status;
  return is_program(elf) ? GF_OK : elf.bad("an ELF file, but not a program");
}

}  // namespace gatefold
