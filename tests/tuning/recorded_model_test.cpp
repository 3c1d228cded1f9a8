// The cost model against the spaces that were measured point by point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "tests/support/paths.h"
#include "tuning/pruning.h"
#include "tuning/recorded_space.h"

namespace gatefold::test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<std::filesystem::path> recorded_files() {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = source_dir() + "/tests/tuning/spaces";
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".gz") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The points of one packing that ran, with their times.
struct Measured {
  KernelSpec place;
  std::vector<SchedulePoint> points;
  std::vector<double> ms;

  double best() const { return *std::min_element(ms.begin(), ms.end()); }
  double best_of(const std::vector<SchedulePoint>& some) const {
    double best = kInfinite;
    for (size_t i = 0; i < points.size(); ++i) {
      const bool in = std::find(some.begin(), some.end(), points[i]) != some.end();
      if (in) best = std::min(best, ms[i]);
    }
    return best;
  }
};

std::vector<Measured> by_packing(const RecordedSpace& space) {
  const SearchSpace search = space.search_space();
  std::vector<Measured> all;
  for (size_t p = 0; p < search.packings.size(); ++p) {
    Measured m{search.kernel(p, 0), {}, {}};
    for (const RecordedPoint& r : space.points) {
      if (!(r.packing == search.packings[p]) || !std::isfinite(r.ms)) continue;
      m.points.push_back(r.point);
      m.ms.push_back(r.ms);
    }
    if (m.points.size() >= 100) all.push_back(m);
  }
  return all;
}

TEST(RecordedSpaces, PruningNeverLosesTwoPercent) {
  for (const auto& file : recorded_files()) {
    const RecordedSpace space = read_recorded_space(file);
    for (const Measured& m : by_packing(space)) {
      for (uint64_t seed : {1, 2, 3}) {
        const auto kept = pruned(m.place, m.points, space.caches, space.key.threads, seed);
        EXPECT_LE(m.best_of(kept), 1.02 * m.best()) << file << " " << m.place.packing.text();
      }
    }
  }
}

TEST(RecordedSpaces, TheModelsBestEightHoldAGoodOne) {
  for (const auto& file : recorded_files()) {
    const RecordedSpace space = read_recorded_space(file);
    for (const Measured& m : by_packing(space)) {
      auto best = ranked_by_model(m.place, m.points, space.caches, space.key.threads);
      best.resize(std::min<size_t>(8, best.size()));
      EXPECT_GE(m.best() / m.best_of(best), 0.93) << file << " " << m.place.packing.text();
    }
  }
}

}  // namespace
}  // namespace gatefold::test
