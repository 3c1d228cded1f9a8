#pragma once

#include "accuracy/accuracy.h"
#include "cli/output.h"

namespace gatefold::cli {

/// What `check --json` says of one library.
Json accuracy_json(const AccuracyResult& result, const FfnSpec& ffn);

/// The same as a table, and a line that sums up.
void print_accuracy(const AccuracyResult& result);

}  // namespace gatefold::cli
