#pragma once

#include "tuning/tune.h"

namespace gatefold::cli {

class Progress;
struct SpecOptions;

/// A small block where the SPEC names none, and one row count where it lists none.
void fill_in_small_block(SpecOptions& spec, bool rows_given);

/// `tune --selftest`: exit code 0 if no difference is claimed between a schedule and itself,
/// else 1.
int run_self_test(const TuneRequest& request, Progress& progress, bool json);

}  // namespace gatefold::cli
