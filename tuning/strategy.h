#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuning/search_space.h"

namespace gatefold {

class SpaceIndex;

/// Proposes what to measure next. The same seed, the same answers and the same turns of asking and
/// telling give the same proposals, whatever the compiler; a resumed run repeats the answers from
/// the store, and so goes on where it was.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// The next kernel to try, never one that was proposed before; nothing when there is no more.
  /// Several may be asked for before the first is told.
  virtual std::optional<Candidate> ask() = 0;

  /// What became of a proposal. `ms` is NaN if it failed. Told again, the new time counts.
  virtual void tell(const Candidate& candidate, double ms) = 0;
};

/// Milliseconds that a kernel is expected to take.
using CostModel = std::function<double(const KernelSpec&, const CpuProfile&, int threads)>;

/// predicted_ms() of tuning/cost_model.h.
CostModel analytic_model();

/// A model for the candidates of a space, which must outlive it; empty if the model is.
std::function<double(const Candidate&)> model_of(const SearchSpace& space, CostModel model,
                                                 int threads);

/// What a strategy may know before the first answer.
struct StrategyInput {
  const SearchSpace& space;
  uint64_t seed = 1;
  std::optional<int> budget = {};                             ///< trials wanted
  std::function<double(const Candidate&)> predicted_ms = {};  ///< the cost model; may be empty
  std::vector<Candidate> known = {};                          ///< nearest known winners
  std::shared_ptr<SpaceIndex> index = {};  ///< of this space, if several strategies share one
};

struct StrategyInfo {
  std::string name;
  std::string meaning;
  std::unique_ptr<Strategy> (*make)(const StrategyInput&);
};
const std::vector<StrategyInfo>& all_strategies();
inline constexpr const char* kDefaultStrategy = "forest";

/// Throws a usage error with the nearest name if there is no such strategy.
void check_strategy(const std::string& name);
std::unique_ptr<Strategy> make_strategy(const std::string& name, const StrategyInput& input);

/// How many proposals the tuner asks for before it tells: enough to compile in parallel.
size_t batch_size(const SearchSpace& space);

}  // namespace gatefold
