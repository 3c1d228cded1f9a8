#include "bench/contenders/library_copies.h"
#include "bench/temporary_folder.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "tuning/host.h"

namespace gatefold {
namespace {

/// The judged library's kernel for a row count, as its manifest shows it.
const Manifest::Kernel* kernel_for(const Contest& contest, int64_t rows) {
  for (const Manifest::Kernel& k : contest.library.manifest().kernels) {
    if (k.target == contest.isa && rows >= k.rows_min && rows <= k.rows_max) return &k;
  }
  return nullptr;
}

/// The judged kernel's packing and tunables with another fusion: so the comparison is of the fusion
/// alone. What is not legal unfused falls back to the analytic default.
KernelSpec unfused_kernel(const Contest& contest, const RowBucket& rows) {
  KernelSpec kernel;
  kernel.ffn = contest.library.ffn();
  kernel.target = target_named(contest.isa).target;
  kernel.rows = rows;
  kernel.packing = legal_packings(kernel.ffn, kernel.target).front();
  kernel.point = default_point(kernel, host_cpu_profile());
  const KernelSpec fallback = kernel;
  if (const Manifest::Kernel* judged = kernel_for(contest, rows.tuned_rows)) {
    kernel.packing = parse_packing(judged->packing);
    kernel.point = parse_point(judged->point);
  }
  for (KernelSpec k : {kernel, fallback}) {
    k.point.fusion = Fusion::unfused;
    k.point.mb = 0;
    if (!why_illegal(k)) return k;
  }
  fail("unfused: no legal schedule for " + kernel_name(kernel));
}

LibraryPlan unfused_plan(const Contest& contest) {
  LibraryPlan plan{.name = "unfused", .ffn = contest.library.ffn(), .kernels = {}};
  for (const RowBucket& rows : row_buckets(contest.rows)) {
    plan.kernels.push_back({.spec = unfused_kernel(contest, rows), .record = {}});
  }
  // One target's kernels share one packing; if one had to fall back, all do.
  for (LibraryKernel& k : plan.kernels) {
    if (k.spec.packing == plan.kernels.front().spec.packing) continue;
    fail("unfused: " + kernel_name(k.spec) + " needs another packing than its neighbours");
  }
  return plan;
}

std::filesystem::path build_unfused(const Contest& contest, const std::filesystem::path& folder) {
  LibraryOptions options;
  options.emitter = contest.emitter;
  options.directory = folder;
  options.jobs = gf_default_threads();
  if (contest.progress) {
    options.progress = [&](size_t done, size_t total) {
      contest.progress("unfused: kernel " + std::to_string(done) + " of " + std::to_string(total));
    };
  }
  return build_library(unfused_plan(contest), options);
}

/// Members in this order: the folder goes last.
struct BuiltLibrary {
  explicit BuiltLibrary(const Contest& contest) : library(build_unfused(contest, folder.path())) {}

  TemporaryFolder folder;
  LoadedLibrary library;
};

class Unfused : private BuiltLibrary, public LibraryCopies {
 public:
  explicit Unfused(const Contest& contest)
      : BuiltLibrary(contest), LibraryCopies(BuiltLibrary::library, contest) {}
};

}  // namespace

std::unique_ptr<Contender> make_unfused(const Contest& contest) {
  return std::make_unique<Unfused>(contest);
}

}  // namespace gatefold
