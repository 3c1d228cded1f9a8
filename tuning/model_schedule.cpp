#include "tuning/model_schedule.h"

#include <algorithm>
#include <cmath>

#include "schedules/space.h"
#include "tuning/cost_model.h"
#include "tuning/pruning.h"

namespace gatefold {
namespace {

constexpr int kThreads = 1;  // how many a library's user will have is not known

/// Points of one hot loop share what is wrong with its code.
bool same_hot_loop(const SchedulePoint& a, const SchedulePoint& b) {
  return a.mr == b.mr && a.streams == b.streams && a.unroll == b.unroll && a.xpack == b.xpack &&
         (a.pf > 0) == (b.pf > 0) && a.fusion == b.fusion;
}

/// One row bucket's points that are left, the best first. Where none is legal the default one
/// stands there, whose reason is then told.
struct Place {
  KernelSpec kernel;  ///< at the best one
  std::vector<SchedulePoint> left;
  double ms = 0;
  bool checked = false;

  void take_best(const CpuProfile& cpu) {
    kernel.point = left.empty() ? default_point(kernel, cpu) : left.front();
    ms = predicted_ms(kernel, cpu, kThreads);
    checked = left.empty();
  }
};

/// All buckets under one packing.
struct Choice {
  std::vector<Place> places;
  std::vector<std::string> notes;

  double log_ms() const {
    double sum = 0;
    for (const Place& place : places) sum += std::log(place.ms);
    return sum;
  }
  bool checked() const {
    return std::all_of(places.begin(), places.end(), [](const Place& p) { return p.checked; });
  }
};

Choice choice_under(const Packing& packing, const FfnSpec& ffn, Target target,
                    const std::vector<int64_t>& rows, const CpuProfile& cpu) {
  Choice choice;
  for (const RowBucket& bucket : row_buckets(rows)) {
    Place place{{ffn, target, bucket, packing, {}}, {}};
    place.left = ranked_by_model(place.kernel, legal_points(place.kernel), cpu, kThreads);
    place.take_best(cpu);
    choice.places.push_back(std::move(place));
  }
  return choice;
}

/// The next best of another hot loop.
void refuse(Place& place, const std::string& reason, const CpuProfile& cpu,
            std::vector<std::string>& notes) {
  const SchedulePoint refused = place.kernel.point;
  std::erase_if(place.left, [&](const SchedulePoint& p) { return same_hot_loop(p, refused); });
  place.take_best(cpu);
  notes.push_back(std::to_string(place.kernel.rows.tuned_rows) + " rows: '" + refused.text() +
                  "' gives way to '" + place.kernel.point.text() + "': " + reason);
}

/// Checks what stands there now and was not checked yet.
void check_code(Choice& choice, const CodeCheck& check, const CpuProfile& cpu) {
  std::vector<Place*> places;
  std::vector<KernelSpec> kernels;
  for (Place& place : choice.places) {
    if (place.checked) continue;
    places.push_back(&place);
    kernels.push_back(place.kernel);
  }
  const std::vector<std::optional<std::string>> reasons = check(kernels);
  for (size_t i = 0; i < places.size(); ++i) {
    places[i]->checked = true;
    if (reasons[i]) refuse(*places[i], *reasons[i], cpu, choice.notes);
  }
}

Schedule schedule_of(const Choice& choice) {
  Schedule schedule;
  schedule.notes = choice.notes;
  for (const Place& place : choice.places) {
    KernelRecord record;
    record.origin = kModelOrigin;
    schedule.kernels.push_back({place.kernel, record});
  }
  return schedule;
}

}  // namespace

/// Only the packing that leads is compiled; a refusal may let another one lead.
Schedule model_schedule(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows,
                        const CpuProfile& cpu, const CodeCheck& check) {
  std::vector<Choice> choices;
  for (const Packing& packing : legal_packings(ffn, target)) {
    choices.push_back(choice_under(packing, ffn, target, rows, cpu));
  }
  const auto faster = [](const Choice& a, const Choice& b) { return a.log_ms() < b.log_ms(); };
  for (;;) {
    Choice& best = *std::min_element(choices.begin(), choices.end(), faster);
    if (!check || best.checked()) return schedule_of(best);
    check_code(best, check, cpu);
  }
}

std::vector<WinnerSet> model_winners(const std::vector<LibraryKernel>& kernels,
                                     const std::string& cpu) {
  std::vector<WinnerSet> sets;
  for (const LibraryKernel& kernel : kernels) {
    if (kernel.record.origin != kModelOrigin) continue;
    if (sets.empty() || sets.back().key.target != kernel.spec.target) {
      sets.push_back({{.cpu = cpu, .target = kernel.spec.target, .ffn = kernel.spec.ffn},
                      kernel.spec.packing.text(),
                      {}});
    }
    Winner winner;
    winner.cell.bucket = kernel.spec.rows;
    winner.cell.point = kernel.spec.point.text();
    winner.cell.origin = kModelOrigin;
    winner.threads = kThreads;
    sets.back().winners.push_back(winner);
  }
  return sets;
}

}  // namespace gatefold
