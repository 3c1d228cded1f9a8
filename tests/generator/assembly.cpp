#include "tests/generator/assembly.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "generator/emit.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "spec/machine.h"
#include "tests/support/command.h"
#include "tests/support/temporary_folder.h"

namespace gatefold::test {
namespace {

/// What `as` calls the features of CPUs that run a target.
std::string assembler_cpu(Target target) {
  const std::string avx2 = "generic64+ssse3+sse4.1+sse4.2+popcnt+avx+f16c+fma+lzcnt+bmi+avx2+bmi2";
  const std::string avx512 = avx2 + "+avx512f+avx512dq+avx512cd+avx512bw+avx512vl";
  switch (target) {
    case Target::x86_avx2:
      return avx2;
    case Target::x86_avx512:
      return avx512;
    case Target::x86_avx512_bf16:
      return avx512 +
             "+avx512ifma+avx512vbmi+avx512_vbmi2+gfni+vaes+vpclmulqdq+avx512_vnni+avx512_bitalg"
             "+avx512_vpopcntdq+avx512_bf16";
    case Target::arm64_neon:
      return "armv8-a";
    case Target::arm64_neon_dotprod:
      return "armv8.2-a+dotprod+fp16";
    case Target::cuda_sm80:
    case Target::cuda_sm90:
    case Target::opencl:
      break;  // no assembler of CPUs knows a device's code
  }
  return "";
}

/// A tool of binutils for a target's architecture.
std::string tool(Target target, const std::string& name) {
  const Arch arch = info(target).arch;
  return arch == host_arch() ? name : std::string(info(arch).triplet) + "-" + name;
}

}  // namespace

KernelSpec default_kernel(const FfnSpec& ffn, Target target, const RowBucket& rows) {
  KernelSpec kernel{ffn, target, rows, legal_packings(ffn, target).front(), {}};
  kernel.point = default_point(kernel, cpu_profile_named("zen4"));
  return kernel;
}

std::string assembly_of(const KernelSpec& kernel) {
  const TemporaryFolder folder;
  emit_kernel(kernel, "kernel", folder.path() / "kernel.o", folder.path() / "kernel.s");
  return content_of(folder.path() / "kernel.s");
}

std::set<std::string> undefined_symbols(const KernelSpec& kernel) {
  const TemporaryFolder folder;
  const std::string object = folder.path() / "kernel.o", list = folder.path() / "symbols";
  emit_kernel(kernel, "kernel", object, {});
  const ProcessResult result =
      result_of({"sh", "-c", tool(kernel.target, "nm") + " -u -j " + object + " > " + list});
  if (!result.ok()) fail("nm: " + result.errors);
  std::ifstream lines(list);
  return {std::istream_iterator<std::string>(lines), {}};
}

std::string content_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string beyond_target(const std::string& assembly, Target target) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "kernel.s";
  std::ofstream(file) << assembly;
  const ProcessResult result = result_of({tool(target, "as"), "-march=" + assembler_cpu(target),
                                          file, "-o", folder.path() / "kernel.o"});
  if (!result.ok() && result.errors.empty()) return "the assembler did not run";
  return result.errors;
}

}  // namespace gatefold::test
