#pragma once

#include "tuning/tune.h"

namespace gatefold::cli {

/// What became of a tuning run: one JSON object or a table on stdout, its notes on stderr.
void print_tuning(const TuneResult& result, const TuneRequest& request, bool json);

}  // namespace gatefold::cli
