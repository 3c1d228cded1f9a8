#include "tuning/strategy.h"

#include <algorithm>

#include "spec/names.h"
#include "tuning/cost_model.h"
#include "tuning/strategies/coordinate_strategy.h"
#include "tuning/strategies/exhaustive_strategy.h"
#include "tuning/strategies/forest_strategy.h"
#include "tuning/strategies/ils_strategy.h"
#include "tuning/strategies/random_strategy.h"

namespace gatefold {
namespace {

template <typename Kind>
std::unique_ptr<Strategy> made(const StrategyInput& input) {
  return std::make_unique<Kind>(input);
}

}  // namespace

const std::vector<StrategyInfo>& all_strategies() {
  static const std::vector<StrategyInfo> strategies = {
      {"forest",
       "a random forest learns which tunables matter; then the neighbours of the best are tried",
       made<ForestStrategy>},
      {"ils", "descends to a local optimum, then again from a few random steps beside it",
       made<IlsStrategy>},
      {"coordinate", "descends one tunable after the other from several starts",
       made<CoordinateStrategy>},
      {"random", "the analytic default of every packing, then random points without replacement",
       made<RandomStrategy>},
      {"exhaustive", "every legal point, in a fixed order", made<ExhaustiveStrategy>},
  };
  return strategies;
}

void check_strategy(const std::string& name) { find_named(all_strategies(), name, "strategy"); }

std::unique_ptr<Strategy> make_strategy(const std::string& name, const StrategyInput& input) {
  return find_named(all_strategies(), name, "strategy").make(input);
}

CostModel analytic_model() {
  return [](const KernelSpec& kernel, const CpuProfile& cpu, int threads) {
    return predicted_ms(kernel, cpu, threads);
  };
}

std::function<double(const Candidate&)> model_of(const SearchSpace& space, CostModel model,
                                                 int threads) {
  if (!model) return {};
  return [&space, model = std::move(model), threads](const Candidate& c) {
    return model(space.kernel(c.packing, c.bucket, c.point), space.cpu, threads);
  };
}

size_t batch_size(const SearchSpace& space) {
  return std::max<size_t>(4, 2 * space.buckets.size());
}

}  // namespace gatefold
