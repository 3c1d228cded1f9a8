#include <functional>

#include "schedules/space.h"
#include "schedules/x86_space.h"

namespace gatefold {
namespace {

using namespace x86;

constexpr Fusion kFusions[] = {Fusion::gated, Fusion::blocked, Fusion::streamed, Fusion::unfused};

/// What enumerating meets. `points` have the values that stand so far in common, and the reason.
struct Visitor {
  std::function<void(const SchedulePoint&)> legal;
  std::function<void(int64_t points, const std::string& reason)> refused;
};

/// Whether a row block makes sense: several of them for blocked fusion, and for streamed one that
/// just holds the rows, so that all slices are one parallel region.
Reason row_block_reason(const KernelSpec& k) {
  const int64_t mb = k.point.mb, rows = k.rows.tuned_rows;
  const std::string value = "mb=" + std::to_string(mb) + ", wanted ";
  const std::string all = std::to_string(rows) + " rows";
  if (k.point.fusion == Fusion::streamed) {
    const bool holds = mb * k.point.mr >= rows, half_would = mb > 1 && mb / 2 * k.point.mr >= rows;
    if (holds && !half_would) return {};
    return value + "the smallest row block that holds " + all + " with fusion=streamed";
  }
  if (mb == 0 || (mb >= 4 && mb < rows)) return {};
  return value + "4 or more, and less than the " + all + ", with fusion=blocked";
}

/// The axis's own reason, as soon as its value and those before it stand.
Reason axis_reason(const std::string& axis, const KernelSpec& k) {
  using Check = Reason (*)(const KernelSpec&);
  static const std::pair<const char*, std::vector<Check>> checks[] = {
      {"streams", {streams_reason, rows_reason}},
      {"kb", {k_block_reason}},
      {"unroll", {unroll_reason}},
      {"mb", {blocking_reason, row_block_reason}},
      {"slices", {slices_reason}}};
  for (const auto& [name, reasons] : checks) {
    if (axis != name) continue;
    for (const Check check : reasons) {
      if (Reason r = check(k)) return r;
    }
  }
  return {};
}

int64_t points_below(const std::vector<Axis>& all, size_t depth) {
  int64_t points = 1;
  for (size_t i = depth; i < all.size(); ++i) points *= static_cast<int64_t>(all[i].values.size());
  return points;
}

/// Depth-first over the axes; a branch ends at the first axis that has a reason against it.
void enumerate(KernelSpec& k, const std::vector<Axis>& all, size_t depth, const Visitor& visitor) {
  if (depth == all.size()) {
    const Reason reason = why_illegal(k);
    if (!reason) return visitor.legal(k.point);
    return visitor.refused(1, *reason);
  }
  for (const Tunable& t : kTunables) {
    if (all[depth].name != t.name) continue;
    for (int value : all[depth].values) {
      k.point.*t.value = value;
      if (const Reason reason = axis_reason(all[depth].name, k)) {
        visitor.refused(points_below(all, depth + 1), *reason);
      } else {
        enumerate(k, all, depth + 1, visitor);
      }
    }
  }
}

void enumerate(const KernelSpec& kernel, const Visitor& visitor) {
  KernelSpec k = kernel;
  for (Fusion fusion : kFusions) {
    k.point = {};
    k.point.fusion = fusion;
    enumerate(k, axes(k), 0, visitor);
  }
}

}  // namespace

std::vector<SchedulePoint> legal_points(const KernelSpec& kernel) {
  std::vector<SchedulePoint> points;
  enumerate(kernel, {[&](const SchedulePoint& p) { points.push_back(p); },
                     [](int64_t, const std::string&) {}});
  return points;
}

SpaceCensus census(const KernelSpec& kernel) {
  SpaceCensus census;
  for (const Fusion fusion : kFusions) census.fusions.push_back(name(fusion));
  census.axes = axes(kernel);
  census.product = points_below(census.axes, 0) * static_cast<int64_t>(std::size(kFusions));
  enumerate(kernel, {[&](const SchedulePoint&) { ++census.legal; },
                     [&](int64_t points, const std::string& reason) {
                       Refused& r = census.refused[reason.substr(0, reason.find_first_of("= "))];
                       if (r.points == 0) r.example = reason;
                       r.points += points;
                     }});
  return census;
}

}  // namespace gatefold
