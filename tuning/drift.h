#pragma once

#include "tuning/trial.h"

namespace gatefold {

/// Beyond it a group is timed again: the machine was not the same at its end as at its begin.
inline constexpr double kMostDrift = 0.05;

/// How far the canary, the anchor of a request, moved between begin and end: the larger of the
/// fastest samples of the first and of the last half of the rounds, over the smaller, less 1. Of
/// the fastest, since what disturbs a sample only slows it. 0 where it has fewer than two samples.
double drift_of(const TrialResult& anchor);

}  // namespace gatefold
