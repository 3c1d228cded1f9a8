#pragma once

#include <optional>

#include "tuning/race.h"
#include "tuning/tune.h"

namespace gatefold {

/// What the measuring says of a schedule raced against itself.
struct SelfTest {
  Paired paired;         ///< second copy / first copy
  double median_ms = 0;  ///< of the first
  bool claimed = false;  ///< a difference of kClaimedDifference or more, beyond doubt
};

/// A difference smaller than this decides nothing that a user would notice.
inline constexpr double kClaimedDifference = 0.01;

/// Compiles the default point of the request's only row count, and has two copies of the library
/// race as the final race does. Nothing if stopped.
std::optional<SelfTest> self_test(const TuneRequest& request);

/// Whether the interval excludes that both are equal, and the estimate says that it matters.
bool claims_difference(const Paired& paired);

}  // namespace gatefold
