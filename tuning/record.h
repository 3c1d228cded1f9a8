#pragma once

#include "tuning/recorded_space.h"
#include "tuning/tune.h"

namespace gatefold {

/// Throws a usage error if a space of this request cannot be recorded.
void check_recordable(const TuneRequest& request);

/// What the request's database holds of its workload, which must have one row bucket. Nothing is
/// measured; a database without a trial of it is an error.
RecordedSpace recorded_trials(const TuneRequest& request);

}  // namespace gatefold
