#include "tuning/fusion_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gatefold {
namespace {

using Cells = std::vector<const ReportCell*>;

std::string fusion_of(const ReportCell& cell) { return name(parse_point(cell.winner).fusion); }

std::vector<FusionRange> ranges_of(Cells cells) {
  std::sort(cells.begin(), cells.end(),
            [](const ReportCell* a, const ReportCell* b) { return a->rows < b->rows; });
  std::vector<FusionRange> ranges;
  for (const ReportCell* cell : cells) {
    const std::string fusion = fusion_of(*cell);
    const double vs = cell->vs_unfused.value_or(std::numeric_limits<double>::quiet_NaN());
    if (ranges.empty() || ranges.back().fusion != fusion) {
      ranges.push_back({fusion, cell->rows, cell->rows, vs});
      continue;
    }
    ranges.back().rows_max = cell->rows;
    ranges.back().vs_unfused = std::fmin(ranges.back().vs_unfused, vs);
  }
  return ranges;
}

}  // namespace

std::string FusionRange::text() const {
  std::string text = fmt::format("{} at {}", fusion, rows_min);
  if (rows_max > rows_min) text += fmt::format(" to {}", rows_max);
  text += rows_max == 1 ? " row" : " rows";
  if (fusion == name(Fusion::unfused) || !std::isfinite(vs_unfused)) return text;
  const char* const least = rows_max > rows_min ? "at least " : "";
  return text + fmt::format(" ({}{:.3f}x unfused)", least, vs_unfused);
}

std::vector<FusionRanges> fusion_ranges(const std::vector<ReportCell>& report) {
  std::vector<Cells> workloads;
  for (const ReportCell& cell : report) {
    // Another version's point may not be readable, and what is fast in an emulator says nothing.
    if (cell.stale || cell.key.emulated) continue;
    auto same = std::find_if(workloads.begin(), workloads.end(), [&](const Cells& cells) {
      return same_workload(cells.front()->key, cell.key);
    });
    if (same == workloads.end()) same = workloads.insert(same, Cells{});
    same->push_back(&cell);
  }
  std::vector<FusionRanges> all;
  for (const Cells& cells : workloads) all.push_back({cells.front()->key, ranges_of(cells)});
  return all;
}

}  // namespace gatefold
