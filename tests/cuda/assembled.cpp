#include "tests/cuda/assembled.h"

#include <gtest/gtest.h>

#include "generator/emit.h"
#include "schedules/space.h"
#include "tests/formats/files.h"
#include "tests/support/command.h"
#include "tests/support/paths.h"

namespace gatefold::test {

KernelSpec cuda_kernel(const FfnSpec& ffn, Target target, int64_t rows) {
  KernelSpec k{ffn, target, {rows, rows, rows}, legal_packings(ffn, target).front(), {}};
  k.point = default_point(k, cpu_profile_named("generic"));
  EXPECT_EQ(why_illegal(k).value_or(""), "") << k.point.text();
  return k;
}

std::string ptx_of(const KernelSpec& kernel) {
  const TempFolder folder;
  emit_kernel(kernel, "kernel", folder / "kernel.o", folder / "kernel.ptx");
  return content(folder / "kernel.ptx");
}

Assembled assembled(const std::string& ptx, const std::string& chip) {
  const TempFolder folder;
  const ProcessResult result = result_of({ptxas(), "-v", "-arch=" + chip, "-o",
                                          folder / "kernel.cubin", folder.file("kernel.ptx", ptx)},
                                         240);
  Assembled found{result.ok(), result.errors, {}};
  if (found.accepted) found.functions = parse_ptxas(found.messages);
  return found;
}

}  // namespace gatefold::test
