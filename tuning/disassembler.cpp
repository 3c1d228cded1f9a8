#include "tuning/disassembler.h"

#include <fstream>
#include <iterator>
#include <system_error>

#include "generator/process.h"
#include "tuning/assembly_check.h"

namespace gatefold {
namespace {

constexpr double kSeconds = 30;  // it takes a few hundredths

/// binutils reads one architecture, unless it was built for all.
std::string objdump(Arch arch) {
  return arch == host_arch() ? "objdump" : std::string(info(arch).triplet) + "-objdump";
}

}  // namespace

/// Of the object code, not of the compiler's own assembly: to have that too, LLVM would generate
/// the code twice.
std::string disassembly_of(const std::filesystem::path& library, Arch arch,
                           const std::filesystem::path& folder, const std::atomic<bool>* stop) {
  const std::filesystem::path file = folder / "code.s";
  const std::vector<std::string> command = {find_program("sh"),
                                            "-c",
                                            "exec \"$1\" -d --no-show-raw-insn \"$2\" > \"$3\"",
                                            "sh",
                                            objdump(arch),
                                            library.string(),
                                            file.string()};
  bool ok = false;
  run_processes({command}, 1, {.timeout_s = kSeconds, .stop = stop},
                [&](size_t, const ProcessResult& result) {
                  ok = result.ok();
                  return true;
                });
  std::ifstream stream(file);
  const std::string text((std::istreambuf_iterator<char>(stream)),
                         std::istreambuf_iterator<char>());
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return ok ? labelled(text, arch) : "";
}

}  // namespace gatefold
