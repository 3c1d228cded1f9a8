#include "tuning/strategies/regression_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gatefold {
namespace {

constexpr size_t kSmallestToSplit = 3;
// A thousandth between halves is worth a split; rounding errors of the sums are far below.
constexpr double kLeastGain = 1e4;

int64_t sum_of(std::span<const Observation> sample) {
  return std::accumulate(sample.begin(), sample.end(), int64_t{0},
                         [](int64_t sum, const Observation& o) { return sum + o.value; });
}

}  // namespace

void RegressionForest::fit(std::span<const Observation> observations, SeededRandom& random) {
  nodes_.clear();
  roots_.clear();
  if (observations.empty()) return;
  std::vector<Observation> sample(observations.size());
  for (int t = 0; t < trees_; ++t) {
    for (Observation& o : sample) o = observations[random.below(observations.size())];
    roots_.push_back(static_cast<int32_t>(nodes_.size()));
    nodes_.emplace_back();
    grow(roots_.back(), sample, random);
  }
}

void RegressionForest::grow(int32_t node, std::span<Observation> sample, SeededRandom& random) {
  nodes_[node].value = static_cast<float>(double(sum_of(sample)) / double(sample.size()));
  if (sample.size() < kSmallestToSplit) return;
  const Split split = best_split(sample, random);
  if (!(split.gain > 0)) return;
  const auto middle = std::stable_partition(sample.begin(), sample.end(), [&](const auto& o) {
    return features_.row(o.id)[split.feature] <= split.most;
  });
  const auto left = static_cast<int32_t>(nodes_.size());
  nodes_[node].feature = split.feature;
  nodes_[node].most = split.most;
  nodes_[node].left = left;
  nodes_.resize(nodes_.size() + 2);
  grow(left, {sample.begin(), middle}, random);
  grow(left + 1, {middle, sample.end()}, random);
}

/// Half of the features, and more while none of them parts the sample.
RegressionForest::Split RegressionForest::best_split(std::span<const Observation> sample,
                                                     SeededRandom& random) {
  tried_.resize(features_.width());
  std::iota(tried_.begin(), tried_.end(), size_t{0});
  Split best;
  const size_t wanted = (features_.width() + 1) / 2;
  for (size_t i = 0; i < tried_.size() && (i < wanted || best.gain == 0); ++i) {
    std::swap(tried_[i], tried_[i + random.below(tried_.size() - i)]);
    try_feature(sample, tried_[i], best);
  }
  return best;
}

/// The gain is by how much the squared error falls.
void RegressionForest::try_feature(std::span<const Observation> sample, size_t feature,
                                   Split& best) {
  const auto levels = static_cast<size_t>(features_.levels(feature));
  sums_.assign(levels, 0);
  counts_.assign(levels, 0);
  for (const Observation& o : sample) {
    const uint8_t level = features_.row(o.id)[feature];
    sums_[level] += o.value;
    ++counts_[level];
  }
  const double all = double(sum_of(sample)), n = double(sample.size());
  double left = 0, left_n = 0;
  for (size_t level = 0; level + 1 < levels; ++level) {
    if (counts_[level] == 0) continue;
    left += double(sums_[level]);
    left_n += counts_[level];
    if (left_n == n) break;
    const double right = all - left, right_n = n - left_n;
    const double gain = left * left / left_n + right * right / right_n - all * all / n;
    if (gain > std::max(best.gain, kLeastGain)) {
      best = {gain, static_cast<uint8_t>(feature), static_cast<uint8_t>(level)};
    }
  }
}

RegressionForest::Estimate RegressionForest::estimate(PointId id) const {
  const uint8_t* row = features_.row(id);
  double sum = 0, squares = 0;
  for (int32_t root : roots_) {
    const Node* node = &nodes_[root];
    while (node->left) node = &nodes_[node->left + (row[node->feature] > node->most)];
    sum += node->value;
    squares += double(node->value) * node->value;
  }
  const double n = double(roots_.size()), mean = sum / n;
  return {mean, std::sqrt(std::max(0.0, squares / n - mean * mean))};
}

}  // namespace gatefold
