#pragma once

#include <string>
#include <vector>

#include "tuning/measurer.h"
#include "tuning/search_space.h"
#include "tuning/store.h"
#include "tuning/tune.h"

namespace gatefold {

/// Throws why this block cannot be tuned for these rows on this machine, whatever the effort.
void check_block(const TuneRequest& request);

/// The request with its defaults filled in. Throws whatever can be known to be wrong with it, so
/// that nothing is made for it.
TuneRequest checked_request(TuneRequest request);

/// How candidates of the request are measured; without its `report`.
Measurer::Options measurer_options(const TuneRequest& request);

WorkloadKey workload_of(const TuneRequest& request);

/// All packings; searched is only the one that other thread counts have in the store, if any.
SearchSpace space_of(const TuneRequest& request, Store& store, std::vector<std::string>& notes);

}  // namespace gatefold
