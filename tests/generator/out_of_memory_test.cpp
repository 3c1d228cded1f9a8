// Kernels that get no memory for their workspace: an error, and the next call works.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "tests/generator/test_block.h"

namespace gatefold::test {
namespace {

constexpr int64_t kModel = 64, kFf = 4096;
constexpr int64_t kRows = 40000;  // 655 MB of hidden layer, or of accumulators

size_t address_space_in_use() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  size_t pages = 0;
  if (!file || std::fscanf(file, "%zu", &pages) != 1) ADD_FAILURE() << "/proc/self/statm";
  if (file) std::fclose(file);
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

/// While it lives, the process gets no more than `bytes` of further memory.
class MemoryLimit {
 public:
  explicit MemoryLimit(size_t bytes) {
    getrlimit(RLIMIT_AS, &before_);
    rlimit limit = before_;
    limit.rlim_cur = address_space_in_use() + bytes;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_;
};

gf_rows rows_of(std::vector<float>& values) {
  gf_rows rows = {};
  rows.struct_size = sizeof rows;
  rows.dtype = GF_F32;
  rows.data = values.data();
  rows.rows = kRows;
  rows.cols = kModel;
  return rows;
}

class OutOfMemory : public testing::TestWithParam<const char*> {};

TEST_P(OutOfMemory, IsAStatus) {
  const FfnSpec ffn{variant_named("swiglu"), DType::f32, {kModel, kFf}, false};
  LibraryPlan plan = default_plan(ffn, Target::x86_avx2, {kRows});
  plan.kernels[0].spec.point = parse_point(GetParam());
  const TemporaryFolder folder;
  LibraryOptions build = options_in(folder);
  build.shared_only = true;
  const Library library = Library::open(build_library(plan, build).string());
  const std::vector<float> w(kModel * kFf, 0.01f);
  gf_ffn_weights given = weights();
  given.gate = given.up = tensor(w.data(), kFf, kModel);
  given.down = tensor(w.data(), kModel, kFf);
  Ffn block(library, kModel, kFf, given, options(2));
  std::vector<float> x(kRows * kModel, 0.5f), y(x.size());
  const gf_rows in = rows_of(x);
  const gf_rows out = rows_of(y);
  {
    // Some memory, so that not only the first of the allocations can fail.
    const MemoryLimit limit(size_t{64} << 20);
    EXPECT_EQ(gf_ffn_run(block.get(), &in, &out), GF_OUT_OF_MEMORY) << gf_last_error();
  }
  block.run(x.data(), y.data(), 3);
  EXPECT_GT(y[3 * kModel - 1], 0);
}

INSTANTIATE_TEST_SUITE_P(Fusions, OutOfMemory,
                         testing::Values("fusion=gated mr=4 streams=2",
                                         "fusion=gated mr=4 streams=2 kb=4",
                                         "fusion=blocked mr=4 streams=2 mb=4096",
                                         "fusion=streamed mr=4 streams=2 slices=8 mb=4096",
                                         "fusion=unfused mr=4 streams=2"));

}  // namespace
}  // namespace gatefold::test
