#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuning/search_space.h"
#include "tuning/trial.h"

namespace gatefold {

/// Proposes what to measure next. The same seed and the same answers give the same proposals; a
/// resumed run repeats the answers from the store, and so goes on where it was.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The next kernel to try, never one that was proposed before; nothing when there is no more.
  /// Several may be asked for before the first is told.
  virtual std::optional<Candidate> ask() = 0;

  /// What became of a proposal. `ms` is NaN if it failed.
  virtual void tell(const Candidate& candidate, double ms) = 0;
};

struct StrategyInfo {
  std::string name;
  std::string meaning;
};
const std::vector<StrategyInfo>& all_strategies();

/// Throws a usage error with the nearest name if there is no such strategy.
void check_strategy(const std::string& name);
std::unique_ptr<Strategy> make_strategy(const std::string& name, const SearchSpace& space,
                                        uint64_t seed);

/// Best known time by packing and row bucket.
class Standings {
 public:
  explicit Standings(const SearchSpace& space);
  void tell(const Candidate& candidate, double ms);

  /// Geometric mean over the buckets; infinite while one has no time.
  double objective(size_t packing) const;

  /// Packings not further behind the best than `ratio`; all while none has times for all buckets.
  std::vector<size_t> within(double ratio) const;
  size_t best_packing() const;

 private:
  std::vector<std::vector<double>> best_;
};

/// Numbers in [0, bound) from a seed, the same with every standard library.
class SeededRandom {
 public:
  explicit SeededRandom(uint64_t seed) : state_(seed) {}
  uint64_t below(uint64_t bound);

 private:
  uint64_t next();
  uint64_t state_;
};

}  // namespace gatefold
