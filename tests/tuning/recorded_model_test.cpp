// The cost model against the spaces that were measured point by point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "tests/support/paths.h"
#include "tuning/cost_model.h"
#include "tuning/pruning.h"
#include "tuning/recorded_space.h"
#include "tuning/strategy.h"

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
  /// Of those that the model has a search try first.
  double best_tried_first(const RecordedSpace& space, uint64_t seed) const {
    std::vector<double> predicted;
    KernelSpec kernel = place;
    for (const SchedulePoint& p : points) {
      kernel.point = p;
      predicted.push_back(predicted_ms(kernel, space.caches, space.key.threads));
    }
    const std::vector<bool> first = worth_trying_first(predicted, seed);
    double best = kInfinite;
    for (size_t i = 0; i < points.size(); ++i) {
      if (first[i]) best = std::min(best, ms[i]);
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
        EXPECT_LE(m.best_tried_first(space, seed), 1.02 * m.best())
            << file << " " << m.place.packing.text();
      }
    }
  }
}

/// Fastest of the points that the default strategy begins with for the model's sake, of all
/// packings; what it begins with anyway, the defaults, is not among them.
double best_seed_ms(const RecordedSpace& space) {
  const SearchSpace search = space.search_space();
  StrategyInput input{search};
  input.budget = 128;
  input.predicted_ms = model_of(search, analytic_model(), space.key.threads);
  const auto strategy = make_strategy("forest", input);
  double best = kInfinite;
  for (size_t asked = 0; asked < search.packings.size() + 8; ++asked) {
    const Candidate c = strategy->ask().value();
    if (c.proposer == "default") continue;
    EXPECT_EQ(c.proposer, "model");
    for (const RecordedPoint& r : space.points) {
      if (r.packing == search.packings[c.packing] && r.point == c.point && r.ms < best) best = r.ms;
    }
  }
  return best;
}

TEST(RecordedSpaces, EightSeedsOfTheModelHoldAGoodOne) {
  for (const auto& file : recorded_files()) {
    const RecordedSpace space = read_recorded_space(file);
    double least = kInfinite;
    for (const RecordedPoint& r : space.points)
      least = std::min(least, std::isfinite(r.ms) ? r.ms : kInfinite);
    const double share = least / best_seed_ms(space);
    RecordProperty(file.stem().string(), std::to_string(share));
    EXPECT_GE(share, 0.93) << file;
  }
}

}  // namespace
}  // namespace gatefold::test
