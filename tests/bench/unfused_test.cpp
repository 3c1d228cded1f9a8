// The control of `bench`: which of the judged library's schedules it takes over.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "bench/contender.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "tests/formats/files.h"
#include "tests/support/paths.h"
#include "tuning/host.h"

namespace gatefold::test {
namespace {

using ::testing::HasSubstr;

/// One bucket with a kernel for each tuned thread count, told apart by their row tiles.
LibraryPlan tuned_plan(const std::vector<std::pair<int, int>>& threads_and_mr) {
  LibraryPlan plan{.name = "judged", .ffn = {}, .kernels = {}};
  plan.ffn = {variant_named("swiglu"), DType::f32, {32, 64}, false};
  for (const auto& [threads, mr] : threads_and_mr) {
    KernelSpec kernel;
    kernel.ffn = plan.ffn;
    kernel.target = Target::x86_avx2;
    kernel.rows = row_buckets({8}).front();
    kernel.packing = legal_packings(kernel.ffn, kernel.target).front();
    kernel.point = default_point(kernel, host_cpu_profile());
    kernel.point.mr = mr;
    KernelRecord record;
    record.tuned_threads = threads;
    plan.kernels.push_back({kernel, record});
  }
  return plan;
}

class Unfused : public testing::Test {
 protected:
  void SetUp() override {
    if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
    LibraryOptions options;
    options.emitter = emitter_;
    options.directory = folder_.path();
    manifest_ = build_library(tuned_plan({{1, 1}, {8, 2}}), options);
  }

  /// The schedule that the control has for 8 rows.
  std::string point_with(int threads) {
    const LoadedLibrary library(manifest_);
    const Contest contest{.library = library,
                          .ffn = library.ffn(),
                          .isa = "x86-avx2",
                          .rows = {8},
                          .threads = threads,
                          .emitter = emitter_,
                          .progress = nullptr};
    const std::unique_ptr<Contender> unfused = make_unfused(contest);
    const FfnData data(contest.ffn, 1, 1);
    unfused->add_copy(data);
    std::vector<float> x = data.x(0, 8), y(x.size());
    unfused->run(0, dense_rows(x.data(), DType::f32, 8, 32),
                 dense_rows(y.data(), DType::f32, 8, 32));
    return unfused->description();
  }

  void replace_in_manifest(const std::string& what, const std::string& by) {
    std::string text = content(manifest_);
    for (size_t at; (at = text.find(what)) != std::string::npos;) text.replace(at, what.size(), by);
    std::ofstream(manifest_) << text;
  }

  const std::filesystem::path emitter_ = binary_dir() + "/gatefold-emit";
  TempFolder folder_;
  std::filesystem::path manifest_;
};

TEST_F(Unfused, TakesTheScheduleThatTheRuntimeWouldTakeForTheThreads) {
  EXPECT_THAT(point_with(1), HasSubstr("fusion=unfused mr=1 "));
  EXPECT_THAT(point_with(6), HasSubstr("fusion=unfused mr=2 "));
}

TEST_F(Unfused, AMalformedPackingIsNamedWithItsPlace) {
  replace_in_manifest("panel=", "pannel=");
  try {
    point_with(1);
    FAIL() << "accepted a packing without a panel";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(manifest_.string() + ": kernels[0]: field 'packing': "));
  }
}

}  // namespace
}  // namespace gatefold::test
