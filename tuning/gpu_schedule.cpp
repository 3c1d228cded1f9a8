#include "tuning/gpu_schedule.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "spec/error.h"

namespace gatefold {
namespace {

/// Kinds of code that are assembled for each kernel before the best of them is taken: their order
/// by estimated registers and by counted ones differs.
constexpr size_t kAssembledKinds = 4;

/// One row bucket under one packing, its points that are left.
struct Place {
  KernelSpec kernel;
  GpuRanking ranking;
  std::set<std::string> assembled;  ///< code classes

  const GpuKernel& best() const { return ranking.points.front(); }

  /// The best point of the best class that is not assembled yet; none if enough are.
  const DevicePoint* wanted() const {
    const bool enough = assembled.size() >= kAssembledKinds;
    for (const GpuKernel& k : ranking.points) {
      if (!assembled.count(code_class(k.point))) return &k.point;
      if (enough) return nullptr;
    }
    return nullptr;
  }
  bool done() const { return wanted() == nullptr; }
};

/// All buckets under one packing.
struct Choice {
  std::vector<Place> places;

  double log_ms() const {
    double sum = 0;
    for (const Place& place : places) {
      if (place.ranking.points.empty()) return INFINITY;
      sum += std::log(place.best().estimate.ms);
    }
    return sum;
  }
};

void check_fits(Target target, const GpuProfile& gpu) {
  const TargetInfo& t = info(target);
  if (t.device != Device::cuda)
    fail_usage("--gpu: with --target " + t.name + ", wanted one of CUDA");
  const int wanted = compute_capability(t.name);
  if (gpu.capability >= wanted) return;
  fail_usage("--gpu: '" + gpu.name + "' has capability " + std::to_string(gpu.capability) +
             ", wanted at least " + std::to_string(wanted) + " for " + t.name);
}

std::vector<Choice> choices_for(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows,
                                const GpuProfile& gpu) {
  std::vector<Choice> choices;
  for (const Packing& packing : legal_packings(ffn, target)) {
    choices.emplace_back();
    for (const RowBucket& bucket : row_buckets(rows)) {
      Place place{{ffn, target, bucket, packing, {}}, {}, {}};
      place.ranking = ranked_for_gpu(place.kernel, gpu);
      choices.back().places.push_back(std::move(place));
    }
  }
  return choices;
}

/// What is known of one class's code now: its points are estimated anew, or refused.
void take_resources(Place& place, const DevicePoint& read, const PointResources& resources,
                    const GpuProfile& gpu, std::vector<std::string>& notes) {
  const std::string of = code_class(read);
  place.assembled.insert(of);
  for (GpuKernel& k : place.ranking.points) {
    if (code_class(k.point) != of) continue;
    if (!resources.entries.empty()) k.estimate = gpu_estimate(k.point, gpu, resources.entries);
    if (!resources.failure.empty()) k.estimate.refused = resources.failure;
    if (!k.estimate.refused) continue;
    add_refused(place.ranking, k.point, *k.estimate.refused);
    if (k.point.text() != read.text()) continue;
    notes.push_back(std::to_string(place.kernel.rows.tuned_rows) + " rows: not '" + read.text() +
                    "': " + *k.estimate.refused);
  }
  std::erase_if(place.ranking.points,
                [](const GpuKernel& k) { return k.estimate.refused.has_value(); });
  sort_by_time(place.ranking);
}

/// One more class of each place.
void assemble(Choice& choice, const GpuProfile& gpu, const ResourceReader& reader,
              std::vector<std::string>& notes) {
  std::vector<Place*> places;
  std::vector<DevicePoint> points;
  for (Place& place : choice.places) {
    const DevicePoint* point = place.wanted();
    if (!point) continue;
    places.push_back(&place);
    points.push_back(*point);
  }
  const std::vector<PointResources> read = reader(points);
  for (size_t i = 0; i < places.size(); ++i) {
    take_resources(*places[i], points[i], read.at(i), gpu, notes);
  }
}

void merge(std::map<std::string, Refused>& all, const std::map<std::string, Refused>& more) {
  for (const auto& [about, refused] : more) {
    Refused& sum = all[about];
    if (sum.points == 0) sum.example = refused.example;
    sum.points += refused.points;
  }
}

/// Why a place has no point: what was refused, or why its default point is not legal.
std::string why_empty(const Place& place) {
  if (!place.ranking.refused.empty()) return place.ranking.refused.begin()->second.example;
  KernelSpec kernel = place.kernel;
  kernel.point = default_point(kernel, cpu_profile_named("generic"));
  return "'" + kernel.point.text() + "': " + why_illegal(kernel).value_or("not in the space");
}

[[noreturn]] void fail_empty(const Choice& choice, const GpuProfile& gpu) {
  const auto empty = std::find_if(choice.places.begin(), choice.places.end(),
                                  [](const Place& p) { return p.ranking.points.empty(); });
  fail(std::to_string(empty->kernel.rows.tuned_rows) + " rows: no point for " + gpu.name +
       " is left, " + why_empty(*empty));
}

}  // namespace

/// Only the packing that leads is assembled; what is found there may let another one lead.
GpuSchedule gpu_schedule(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows,
                         const GpuProfile& gpu, const ResourceReader& reader) {
  check_fits(target, gpu);
  GpuSchedule schedule;
  std::vector<Choice> choices = choices_for(ffn, target, rows, gpu);
  const auto faster = [](const Choice& a, const Choice& b) { return a.log_ms() < b.log_ms(); };
  for (;;) {
    Choice& best = *std::min_element(choices.begin(), choices.end(), faster);
    if (!std::isfinite(best.log_ms())) fail_empty(best, gpu);
    const auto done = [](const Place& place) { return place.done(); };
    if (reader && !std::all_of(best.places.begin(), best.places.end(), done)) {
      assemble(best, gpu, reader, schedule.notes);
      continue;
    }
    for (Place& place : best.places) {
      schedule.kernels.push_back(place.best());
      merge(schedule.refused, place.ranking.refused);
      schedule.rankings.push_back(std::move(place.ranking));
    }
    return schedule;
  }
}

WinnerSet gpu_winners(const GpuSchedule& schedule, const GpuProfile& gpu) {
  const KernelSpec& first = schedule.kernels.at(0).point.kernel;
  WinnerSet set{
      {.cpu = gpu.name, .target = first.target, .ffn = first.ffn}, first.packing.text(), {}};
  for (const GpuKernel& kernel : schedule.kernels) {
    Winner winner;
    winner.cell.bucket = kernel.point.kernel.rows;
    winner.cell.point = kernel.point.text();
    winner.cell.origin = kModelOrigin;
    set.winners.push_back(winner);
  }
  return set;
}

}  // namespace gatefold
