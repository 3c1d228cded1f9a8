#include "tests/generator/assembly.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "generator/emit.h"
#include "generator/process.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "spec/machine.h"
#include "tests/generator/test_block.h"

namespace gatefold::test {
namespace {

/// What `as` calls the features of CPUs that run a target.
std::string assembler_cpu(Target target) {
  std::string cpu = "generic64+ssse3+sse4.1+sse4.2+popcnt+avx+f16c+fma+lzcnt+bmi+avx2+bmi2";
  if (target == Target::x86_avx2) return cpu;
  cpu += "+avx512f+avx512dq+avx512cd+avx512bw+avx512vl";
  if (target == Target::x86_avx512) return cpu;
  return cpu +
         "+avx512ifma+avx512vbmi+avx512_vbmi2+gfni+vaes+vpclmulqdq+avx512_vnni+avx512_bitalg"
         "+avx512_vpopcntdq+avx512_bf16";
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

std::string content_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::string beyond_target(const std::string& assembly, Target target) {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "kernel.s";
  std::ofstream(file) << assembly;
  const std::vector<std::string> command = {"/usr/bin/env", "as", "-march=" + assembler_cpu(target),
                                            file,           "-o", folder.path() / "kernel.o"};
  std::string complaint = "the assembler did not run";
  run_processes({command}, 1, {.timeout_s = 60}, [&](size_t, const ProcessResult& result) {
    complaint = result.errors;
    if (complaint.empty() && !result.ok()) complaint = "the assembler failed";
    return true;
  });
  return complaint;
}

}  // namespace gatefold::test
