#pragma once

#include <string>

#include "cli/output.h"
#include "tuning/tune.h"
#include "tuning/tune_look.h"

namespace gatefold::cli {

/// "best 1.234x the default, 116 trials left, 4 min left: compiling 4 kernels"
std::string progress_text(const TuneProgress& progress);

/// The trials behind a result; empty where the database does not hold this workload.
TuneLook look_at(const TuneRequest& request, const TuneResult& result);

/// The best of each row count, what failed and why, and which tunables mattered.
void print_look(const TuneLook& look, bool emulated);
void add_look(Json& json, const TuneLook& look);

/// How the winners that came with this program fit this block and CPU, before any tuning.
struct ShippedMatch {
  std::string match;  ///< as in a manifest; "analytic": there are none
  std::string note;   ///< of which CPU, or why there are none
};
ShippedMatch shipped_match(const TuneRequest& request);

}  // namespace gatefold::cli
