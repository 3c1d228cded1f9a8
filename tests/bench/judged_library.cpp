#include "tests/bench/judged_library.h"

#include "schedules/space.h"
#include "tests/support/paths.h"
#include "tuning/host.h"

namespace gatefold::test {

void JudgedLibrary::SetUp() {
  if (!gf_isa_usable("x86-avx2")) GTEST_SKIP() << "this CPU does not run x86-avx2";
  emitter_ = binary_dir() + "/gatefold-emit";
}

void JudgedLibrary::build(const std::vector<ThreadsAndMr>& kernels) {
  LibraryPlan plan{.name = "judged", .ffn = {}, .kernels = {}};
  plan.ffn = {variant_named("swiglu"), DType::f32, {32, 64}, false, residual_};
  for (const auto& [threads, mr] : kernels) {
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
  LibraryOptions options;
  options.emitter = emitter_;
  options.directory = folder_.path();
  manifest_ = build_library(plan, options);
}

Contest JudgedLibrary::contest(const LoadedLibrary& library, int64_t rows, int threads) const {
  return {.library = library,
          .ffn = library.ffn(),
          .isa = "x86-avx2",
          .rows = {rows},
          .threads = threads,
          .emitter = emitter_,
          .progress = nullptr};
}

}  // namespace gatefold::test
