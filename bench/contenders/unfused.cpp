#include <optional>

#include "bench/contenders/library_copies.h"
#include "schedules/space.h"
#include "spec/error.h"
#include "tuning/host.h"
#include "tuning/run_folder.h"

namespace gatefold {
namespace {

/// What a parser of the judged library's texts says, with the text's place in front.
template <typename Parse>
auto named(const std::string& place, Parse parse) {
  try {
    return parse();
  } catch (const Error& error) {
    fail(place + ": " + error.what());
  }
}

/// The packing that the judged library's kernels of the target share; the table holds it only in
/// part.
Packing judged_packing(const Contest& contest) {
  const Manifest& manifest = contest.library.manifest();
  for (size_t i = 0; i < manifest.kernels.size(); ++i) {
    if (manifest.kernels[i].target != contest.isa) continue;
    const std::string field = "kernels[" + std::to_string(i) + "]: field 'packing'";
    return named(manifest.path.string() + ": " + field,
                 [&] { return parse_packing(manifest.kernels[i].packing); });
  }
  fail(manifest.path.string() + ": kernels: none for " + contest.isa + ", which the table of " +
       manifest.shared_object.string() + " holds");
}

/// The schedule of the kernel that the runtime takes of the judged library for this many rows.
SchedulePoint judged_point(const Contest& contest, int64_t rows) {
  const gf_kernel& kernel = contest.library.kernel_for(contest.isa, rows, contest.threads);
  return named(
      contest.library.manifest().shared_object.string() + ": kernel " + kernel.name + ": point",
      [&] { return parse_point(kernel.point); });
}

/// The judged kernel's tunables with another fusion: so the comparison is of the fusion alone. What
/// is not legal unfused falls back to the analytic default.
std::optional<KernelSpec> unfused_kernel(const Contest& contest, const RowBucket& rows,
                                         const Packing& packing) {
  KernelSpec kernel;
  kernel.ffn = contest.library.ffn();
  kernel.target = target_named(contest.isa).target;
  kernel.rows = rows;
  kernel.packing = packing;
  const SchedulePoint judged = judged_point(contest, rows.tuned_rows);
  for (const SchedulePoint& point : {judged, default_point(kernel, host_cpu_profile())}) {
    kernel.point = point;
    kernel.point.fusion = Fusion::unfused;
    kernel.point.mb = 0;
    if (!why_illegal(kernel)) return kernel;
  }
  return std::nullopt;
}

std::optional<LibraryPlan> plan_with(const Contest& contest, const Packing& packing) {
  LibraryPlan plan{.name = "unfused", .ffn = contest.library.ffn(), .kernels = {}};
  for (const RowBucket& rows : row_buckets(contest.rows)) {
    const std::optional<KernelSpec> kernel = unfused_kernel(contest, rows, packing);
    if (!kernel) return std::nullopt;
    plan.kernels.push_back({.spec = *kernel, .record = {}});
  }
  return plan;
}

/// One target's kernels share one packing: if one of them needs another than the judged library's,
/// all take the default one.
LibraryPlan unfused_plan(const Contest& contest) {
  if (const auto plan = plan_with(contest, judged_packing(contest))) return *plan;
  const Target target = target_named(contest.isa).target;
  const Packing usual = legal_packings(contest.library.ffn(), target).front();
  if (const auto plan = plan_with(contest, usual)) return *plan;
  fail("unfused: no legal schedule on " + contest.isa + " for " +
       contest.library.manifest().path.string());
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

  RunFolder folder;
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
