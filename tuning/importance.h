#pragma once

#include <string>
#include <vector>

#include "spec/point.h"

namespace gatefold {

/// One measured point of a place.
struct TimedPoint {
  SchedulePoint point;
  double ms = 0;
};

struct TunableShare {
  std::string tunable;
  double share = 0;  ///< 0 to 1
};

/// How much of the variance of log(time) each tunable explains by itself, largest first. The shares
/// need not add up to one: tunables work together, and noise explains the rest. Corrected for how
/// many values a tunable has, which would explain some of any few points. Points without a time
/// (not above 0, NaN) count for nothing; all shares are 0 where there is nothing to explain.
std::vector<TunableShare> tunable_shares(const std::vector<TimedPoint>& points);

}  // namespace gatefold
