#include "tuning/race_report.h"

#include <cmath>
#include <set>
#include <tuple>

namespace gatefold {
namespace {

std::optional<double> quotient(std::optional<double> of, double by) {
  return of && std::isfinite(*of) && by > 0 ? std::optional(*of / by) : std::nullopt;
}

ReportCell make_cell(const StoredRace& stored, const RaceCell& race) {
  ReportCell cell;
  cell.key = stored.key;
  cell.rows = race.bucket.tuned_rows;
  cell.winner = race.point;
  cell.origin = race.origin;
  cell.runner_up = race.runner_up;
  cell.bound = race.bound;
  cell.at = stored.race.at;
  cell.median_ms = race.median_ms;
  cell.margin_pct = race.margin_pct;
  cell.speedup = quotient(race.default_ms, race.median_ms);
  cell.vs_unfused = quotient(race.unfused_ms, race.median_ms);
  cell.efficiency = race.efficiency;
  cell.joint_cost_pct = race.joint_cost_pct;
  cell.stale = stored.key.generator_version != kGeneratorVersion ||
               stored.key.halide_version != kHalideVersion;
  return cell;
}

auto identity(const WorkloadKey& key) {
  const FfnSpec& ffn = key.ffn;
  const Variant& v = ffn.variant;
  return std::make_tuple(key.cpu, key.target, v.name, v.slope, v.alpha, v.limit, v.up_offset,
                         ffn.dtypes(), ffn.bias, ffn.residual, ffn.shape.text(), key.threads,
                         key.emulated, key.halide_version, key.generator_version);
}

/// What makes two races rivals for one cell.
auto identity(const ReportCell& c) { return std::make_pair(identity(c.key), c.rows); }

}  // namespace

bool same_workload(const WorkloadKey& a, const WorkloadKey& b) {
  return identity(a) == identity(b);
}

std::vector<ReportCell> report_cells(const std::vector<StoredRace>& races) {
  std::vector<ReportCell> cells;
  std::set<decltype(identity(std::declval<ReportCell>()))> seen;
  for (const StoredRace& stored : races) {
    for (const RaceCell& race : stored.race.cells) {
      ReportCell cell = make_cell(stored, race);
      if (seen.insert(identity(cell)).second) cells.push_back(std::move(cell));
    }
  }
  return cells;
}

}  // namespace gatefold
