#include <algorithm>

#include "schedules/space.h"
#include "spec/error.h"
#include "tuning/winners.h"

namespace gatefold {
namespace {

KernelSpec kernel_of(const FfnSpec& ffn, Target target, const RowBucket& bucket,
                     const Packing& packing) {
  KernelSpec kernel;
  kernel.ffn = ffn;
  kernel.target = target;
  kernel.rows = bucket;
  kernel.packing = packing;
  return kernel;
}

LibraryKernel default_kernel(KernelSpec kernel, const CpuProfile& cpu) {
  kernel.point = default_point(kernel, cpu);
  return {kernel, {}};
}

/// What was measured is told only of what it was measured on.
KernelRecord record_of(const Winner& w, CpuMatch match, bool measured_here) {
  KernelRecord record;
  record.match = name(match);
  record.origin = w.cell.origin == kModelOrigin ? kModelOrigin : "tuned";
  if (record.origin == kModelOrigin) return record;
  record.tuned_threads = w.threads;
  if (!measured_here) return record;
  record.runner_up = w.cell.runner_up;
  record.margin_pct = w.cell.margin_pct;
  record.efficiency = w.cell.efficiency;
  record.median_ms = w.cell.median_ms;
  return record;
}

/// The set's packing, if it can be used for this block at all.
std::optional<Packing> usable_packing(const WinnerSet& set, const WinnerQuery& query,
                                      std::string& note) {
  try {
    const Packing packing = parse_packing(set.packing);
    const std::vector<Packing> legal = legal_packings(query.ffn, query.target);
    if (std::find(legal.begin(), legal.end(), packing) != legal.end()) return packing;
    note = "packing '" + set.packing + "' is not legal for this block";
  } catch (const Error& e) {
    note = e.what();
  }
  return std::nullopt;
}

/// The winner's kernel, or why it cannot be one.
std::optional<KernelSpec> legal_kernel(KernelSpec kernel, const Winner& winner, std::string& why) {
  try {
    kernel.point = parse_point(winner.cell.point);
  } catch (const Error& e) {
    why = e.what();
    return std::nullopt;
  }
  if (const auto reason = why_illegal(kernel)) {
    why = "point '" + winner.cell.point + "' is not legal: " + *reason;
    return std::nullopt;
  }
  return kernel;
}

std::vector<int> tuned_threads(const WinnerSet& set) {
  std::vector<int> threads;
  for (const Winner& w : set.winners) threads.push_back(w.threads);
  std::sort(threads.begin(), threads.end());
  threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
  return threads;
}

/// One kernel for each thread count that the nearest rows were tuned for, equal points too: the
/// runtime takes the nearest count, so leaving one out would give its threads another's kernel.
void add_bucket(Schedule& schedule, const WinnerSet& set, const KernelSpec& bucket, CpuMatch match,
                const CpuProfile& cpu) {
  const size_t before = schedule.kernels.size();
  for (int threads : tuned_threads(set)) {
    const std::optional<Winner> winner = find_winner(set, bucket.rows.tuned_rows, threads);
    if (!winner || winner->threads != threads) continue;
    std::string why;
    const std::optional<KernelSpec> kernel = legal_kernel(bucket, *winner, why);
    if (!kernel) {
      schedule.notes.push_back(std::to_string(bucket.rows.tuned_rows) + " rows: default, since " +
                               why);
      continue;
    }
    const bool measured_here =
        match == CpuMatch::cpu && winner->cell.bucket.tuned_rows == bucket.rows.tuned_rows;
    schedule.kernels.push_back({*kernel, record_of(*winner, match, measured_here)});
  }
  if (schedule.kernels.size() == before) schedule.kernels.push_back(default_kernel(bucket, cpu));
}

}  // namespace

Schedule default_schedule(const FfnSpec& ffn, Target target, const std::vector<int64_t>& rows,
                          const CpuProfile& cpu) {
  Schedule schedule;
  const Packing packing = legal_packings(ffn, target).at(0);
  for (const RowBucket& bucket : row_buckets(rows)) {
    schedule.kernels.push_back(default_kernel(kernel_of(ffn, target, bucket, packing), cpu));
  }
  return schedule;
}

Schedule schedule_from_winners(const std::vector<WinnerSet>& sets, const WinnerQuery& query,
                               const std::vector<int64_t>& rows, const CpuProfile& cpu) {
  std::string note;
  const WinnerSet* set = find_set(sets, query, rows, note);
  const std::optional<Packing> packing = set ? usable_packing(*set, query, note) : std::nullopt;
  Schedule schedule;
  if (!packing) {
    schedule = default_schedule(query.ffn, query.target, rows, cpu);
    schedule.notes.push_back("default schedules, since " + note);
    return schedule;
  }
  if (!note.empty()) schedule.notes.push_back(note);
  const CpuMatch match = cpu_match(query, set->key.cpu);
  for (const RowBucket& bucket : row_buckets(rows)) {
    add_bucket(schedule, *set, kernel_of(query.ffn, query.target, bucket, *packing), match, cpu);
  }
  return schedule;
}

}  // namespace gatefold
