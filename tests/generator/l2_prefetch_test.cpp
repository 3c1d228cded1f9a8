#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>
#include <string>

#include "generator/emit.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "tests/generator/assembly.h"
#include "tests/support/temporary_folder.h"

namespace gatefold::test {
namespace {

using testing::HasSubstr;
using testing::Not;

KernelSpec prefetching(int level) {
  KernelSpec kernel = default_kernel({variant_named("swiglu"), DType::f32, {128, 256}, false},
                                     Target::x86_avx512, {5, 8, 8});
  kernel.point.pf = 32;
  kernel.point.pl = level;
  return kernel;
}

TEST(L2Prefetch, FillsTheLevelThatIsAskedFor) {
  const std::string past = assembly_of(prefetching(1)), into = assembly_of(prefetching(2));
  EXPECT_THAT(past, HasSubstr("prefetchnta"));
  EXPECT_THAT(past, Not(HasSubstr("prefetcht1")));
  EXPECT_THAT(into, HasSubstr("prefetcht1"));
  EXPECT_THAT(into, Not(HasSubstr("prefetchnta")));
}

TEST(L2Prefetch, TheObjectIsOfTheSameKernel) {
  std::set<std::string> assembled = undefined_symbols(prefetching(2));
  assembled.erase("_GLOBAL_OFFSET_TABLE_");  // the linker's own, which an assembler may name
  EXPECT_EQ(assembled, undefined_symbols(prefetching(1)));
}

TEST(L2Prefetch, LeavesNoFileBesideTheObject) {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path();
  emit_kernel(prefetching(2), "kernel", path / "kernel.o", {});
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    ++files;
    EXPECT_EQ(entry.path().filename(), "kernel.o");
  }
  EXPECT_EQ(files, 1);
}

TEST(L2Prefetch, AMissingAssemblerIsNamed) {
  const char* before = std::getenv("CC");
  const std::string kept = before ? before : "";
  setenv("CC", "no-such-compiler", 1);
  const TemporaryFolder folder;
  std::string message;
  try {
    emit_kernel(prefetching(2), "kernel", folder.path() / "kernel.o", {});
  } catch (const Error& e) {
    message = e.what();
  }
  before ? setenv("CC", kept.c_str(), 1) : unsetenv("CC");
  EXPECT_THAT(message, HasSubstr("'no-such-compiler' is not on the PATH"));
}

/// Calls of `function` within tasks of parallel loops.
int calls_in_tasks(const std::string& assembly, const std::string& function) {
  std::istringstream lines(assembly);
  int calls = 0;
  bool in_task = false;
  for (std::string line; std::getline(lines, line);) {
    const bool label = !line.empty() && line[0] != '\t' && line[0] != '.' && line[0] != '#';
    if (label) in_task = line.find("par_for") != std::string::npos;
    calls += in_task && line.find("\tcall") == 0 && line.find(function) != std::string::npos;
  }
  return calls;
}

TEST(TaskMemory, FewRowsTakeNoneFromTheSystem) {
  const FfnSpec ffn{variant_named("swiglu"), DType::f32, {128, 256}, false};
  for (const Target target : {Target::x86_avx2, Target::x86_avx512}) {
    for (const RowBucket& rows : {RowBucket{1, 1, 1}, RowBucket{5, 8, 8}, RowBucket{9, 16, 16}}) {
      const std::string few = assembly_of(default_kernel(ffn, target, rows));
      EXPECT_EQ(calls_in_tasks(few, "halide_malloc"), 0) << rows.rows_max << " rows";
    }
    const std::string any = assembly_of(default_kernel(ffn, target, {17, RowBucket::kOpen, 64}));
    EXPECT_GT(calls_in_tasks(any, "halide_malloc"), 0) << "what the test looks for has gone";
  }
}

}  // namespace
}  // namespace gatefold::test
