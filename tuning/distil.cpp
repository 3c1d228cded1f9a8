#include "tuning/distil.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace gatefold {
namespace {

using Cells = std::vector<const MeasuredCell*>;

/// How much slower than the cell's best; nothing where the point was not timed.
std::optional<double> loss_of(const MeasuredCell& cell, const std::string& point) {
  const auto timed = cell.ms.find(point);
  if (timed == cell.ms.end()) return std::nullopt;
  double best = timed->second;
  for (const auto& [other, ms] : cell.ms) best = std::min(best, ms);
  return timed->second / best - 1;
}

std::set<std::string> points_of(const Cells& cells) {
  std::set<std::string> points;
  for (const MeasuredCell* cell : cells) {
    for (const auto& [point, ms] : cell->ms) points.insert(point);
  }
  return points;
}

/// The point that serves most of the cells; of several the one that loses least in them, then the
/// first by text. Empty if none serves any.
std::string most_useful(const Cells& open, double most_loss) {
  std::string best;
  std::tuple<int, double> best_rank = {0, 0};
  for (const std::string& point : points_of(open)) {
    int served = 0;
    double lost = 0;
    for (const MeasuredCell* cell : open) {
      const std::optional<double> loss = loss_of(*cell, point);
      if (loss && *loss <= most_loss) ++served, lost += *loss;
    }
    const std::tuple rank = {served, -lost};
    if (served > 0 && (best.empty() || rank > best_rank)) best = point, best_rank = rank;
  }
  return best;
}

std::vector<std::string> choose(const Cells& cells, size_t most, double most_loss) {
  std::vector<std::string> chosen;
  Cells open = cells;
  while (!open.empty() && chosen.size() < most) {
    const std::string point = most_useful(open, most_loss);
    if (point.empty()) break;
    chosen.push_back(point);
    std::erase_if(open, [&](const MeasuredCell* cell) {
      const std::optional<double> loss = loss_of(*cell, point);
      return loss && *loss <= most_loss;
    });
  }
  return chosen;
}

DistilledCell served(const MeasuredCell& cell, const std::vector<std::string>& points) {
  DistilledCell out = {cell.key, cell.rows, {}, {}};
  for (const std::string& point : points) {
    const std::optional<double> loss = loss_of(cell, point);
    if (loss && (!out.loss || *loss < *out.loss)) out.loss = loss, out.point = point;
  }
  return out;
}

void add_losses(Distilled& d, const Cells& cells, double most_loss) {
  double sum = 0;
  int known = 0;
  for (const MeasuredCell* cell : cells) {
    d.cells.push_back(served(*cell, d.points));
    const std::optional<double> loss = d.cells.back().loss;
    if (!loss || *loss > most_loss) d.uncovered.push_back(d.cells.back());
    if (!loss) continue;
    d.worst = std::max(d.worst.value_or(0), *loss);
    sum += *loss;
    ++known;
  }
  if (known > 0) d.mean = sum / known;
}

}  // namespace

std::vector<Distilled> distil(const std::vector<MeasuredCell>& cells, size_t most,
                              double most_loss) {
  std::map<std::tuple<Target, std::string, std::string>, Cells> groups;
  for (const MeasuredCell& cell : cells) {
    groups[{cell.key.target, cell.key.ffn.dtypes(), cell.packing}].push_back(&cell);
  }
  std::vector<Distilled> all;
  for (const auto& [group, members] : groups) {
    Distilled d;
    std::tie(d.target, d.dtypes, d.packing) = group;
    d.points = choose(members, most, most_loss);
    add_losses(d, members, most_loss);
    all.push_back(std::move(d));
  }
  return all;
}

}  // namespace gatefold
