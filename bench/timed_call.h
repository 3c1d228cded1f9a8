#pragma once

#include <chrono>

#include "tuning/noise.h"

namespace gatefold {

/// One timed call of a contender.
struct CallTime {
  double ms = 0;
  bool disturbed = false;  ///< the system took the cores meanwhile
};

/// What every contender in this process is timed with.
template <typename Call>
CallTime timed_call(Call&& call) {
  using Clock = std::chrono::steady_clock;
  const NoiseGuard guard;
  const auto begin = Clock::now();
  call();
  const double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return {ms, guard.disturbed(ms)};
}

}  // namespace gatefold
