#include "tuning/self_test.h"

#include <cmath>
#include <fstream>

#include "schedules/space.h"
#include "spec/error.h"
#include "tuning/final_race.h"
#include "tuning/measurer.h"
#include "tuning/tune_request.h"

namespace gatefold {
namespace {

namespace fs = std::filesystem;

constexpr double kRaceBudgetMs = 5000;
constexpr double kPatienceSeconds = 60;

KernelSpec default_kernel(const TuneRequest& request) {
  KernelSpec kernel;
  kernel.ffn = request.ffn;
  kernel.target = request.target;
  kernel.packing = legal_packings(request.ffn, request.target).at(0);
  kernel.rows = row_buckets(request.rows).at(0);
  kernel.point = default_point(kernel, request.cpu);
  return kernel;
}

MeasureRequest race_of(const TuneRequest& request, const KernelSpec& kernel, const fs::path& first,
                       const fs::path& second) {
  MeasureRequest race;
  race.libraries = {first.string(), second.string()};
  race.ffn = request.ffn;
  race.target = request.target;
  race.rows = kernel.rows.tuned_rows;
  race.threads = request.threads;
  race.seed = request.seed;
  race.min_rounds = kFewestRaceRounds;
  race.max_rounds = kMostRaceRounds;
  race.budget_ms = kRaceBudgetMs;
  return race;
}

void require_both(const MeasureReply& reply) {
  for (const TrialResult& r : reply.candidates) {
    if (r.kind == TrialKind::ok || r.kind == TrialKind::noisy) continue;
    fail(std::string("tune --selftest: the default failed: ") + name(r.kind) + ": " + r.message);
  }
}

}  // namespace

bool claims_difference(const Paired& paired) {
  return (paired.faster() || paired.slower()) && std::abs(paired.ratio - 1) >= kClaimedDifference;
}

std::optional<SelfTest> self_test(const TuneRequest& wanted) {
  TuneRequest request = wanted;
  request.trials = 1;
  request = checked_request(request);
  if (request.rows.size() != 1) {
    fail_usage("--rows: " + std::to_string(request.rows.size()) +
               " row counts, wanted one for --selftest");
  }
  BuilderOptions building = request.builder;
  building.stop = request.stop;
  Builder builder(building);
  const auto report = [&](const std::string& phase) {
    if (request.progress) request.progress({phase, 0, {}, 0, {}, {}});
  };
  report("compiling the default");
  const KernelSpec kernel = default_kernel(request);
  const BuiltCandidate built = builder.build({kernel}).at(0);
  if (request.stop && request.stop->load()) return std::nullopt;
  if (built.kind != TrialKind::ok) fail("tune --selftest: " + built.message);
  // In a folder that goes with the builder. A file of its own, so that it is loaded apart.
  const fs::path copy = built.library.parent_path() / "copy.so";
  fs::copy_file(built.library, copy);
  // Sent to another machine it is named by its bytes; ELF does not mind one more.
  std::ofstream(copy, std::ios::binary | std::ios::app).put('\0');
  Measurer::Options options = measurer_options(request);
  options.report = report;
  Measurer measurer(options);
  measurer.set_candidate_timeout(kPatienceSeconds);
  report("racing it against itself");
  const MeasureReply reply = measurer.measure(race_of(request, kernel, built.library, copy));
  if (reply.candidates.empty()) return std::nullopt;
  require_both(reply);
  SelfTest result;
  result.paired = compare_paired(reply.candidates[1].samples, reply.candidates[0].samples);
  result.median_ms = reply.candidates[0].median_ms;
  result.claimed = claims_difference(result.paired);
  return result;
}

}  // namespace gatefold
