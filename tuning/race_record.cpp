#include "tuning/race_record.h"

#include <fmt/format.h>

#include "tuning/roofline.h"

namespace gatefold {
namespace {

std::string roof_text(const Roof& r) {
  return fmt::format(
      "f32_gflops={:.4g} bf16_gflops={:.4g} i8_gops={:.4g} read_gbps={:.4g} threads={}",
      r.f32_gflops, r.bf16_gflops, r.i8_gops, r.read_gbps, r.threads);
}

RaceCell cell_of(const std::vector<RaceEntry>& entries, const CellDecision& d,
                 const RowBucket& bucket) {
  RaceCell cell;
  cell.bucket = bucket;
  cell.point = entries[d.winner].candidate.point.text();
  cell.origin = d.base == d.winner ? "default" : "tuned";
  cell.median_ms = entries[d.winner].median_ms();
  if (d.base) {
    cell.default_point = entries[*d.base].candidate.point.text();
    cell.default_ms = entries[*d.base].median_ms();
  }
  if (d.unfused) {
    cell.unfused_point = entries[*d.unfused].candidate.point.text();
    cell.unfused_ms = entries[*d.unfused].median_ms();
  }
  if (d.runner_up) {
    cell.runner_up = entries[*d.runner_up].candidate.point.text();
    cell.runner_up_ms = entries[*d.runner_up].median_ms();
  }
  cell.margin_pct = d.margin_pct;
  if (d.against_default) {
    cell.ratio = d.against_default->ratio;
    cell.ratio_low = d.against_default->low;
    cell.ratio_high = d.against_default->high;
  }
  return cell;
}

void add_roofline(RaceCell& cell, const SearchSpace& space, size_t packing, const Roof& roof,
                  bool cold) {
  const int64_t bytes = packed_weight_bytes(space.ffn, space.packings.at(packing));
  const Roofline bound = roofline(space.ffn, cell.bucket.tuned_rows, roof, bytes);
  cell.bound = bound.bound;
  if (cold) cell.efficiency = efficiency(bound, cell.median_ms);
}

}  // namespace

RaceRecord race_record(const SearchSpace& space, const std::vector<RacedBucket>& buckets,
                       const Decision& decision, const Roof& roof) {
  RaceRecord race;
  race.packing = space.packings.at(decision.packing).text();
  race.roof = roof_text(roof);
  for (size_t b = 0; b < buckets.size(); ++b) {
    race.rows.push_back(space.buckets[b].tuned_rows);
    race.cells.push_back(cell_of(buckets[b].entries, decision.cells[b], space.buckets[b]));
    add_roofline(race.cells.back(), space, decision.packing, roof, buckets[b].reply.cold);
  }
  return race;
}

}  // namespace gatefold
