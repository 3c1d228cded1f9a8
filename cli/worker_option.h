#pragma once

#include <string>

#include "cli/spec_options.h"
#include "tuning/tune.h"

namespace gatefold::cli {

inline constexpr const char* kWorkerHelp =
    "measures there: a command that becomes gatefold-worker, such as 'ssh HOST gatefold-worker'";

/// Asks the worker for its machine and tunes for that one: what the SPEC leaves open (target
/// `host`, dtype) is the worker's.
void use_worker(const std::string& command, SpecOptions& spec, TuneRequest& request);

}  // namespace gatefold::cli
