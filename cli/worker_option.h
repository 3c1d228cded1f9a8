#pragma once

#include <string>

#include "cli/spec_options.h"
#include "tuning/tune.h"

namespace gatefold::cli {

inline constexpr const char* kWorkerHelp =
    "measures there: a command that becomes gatefold-worker, such as 'ssh HOST gatefold-worker'";

inline constexpr const char* kWorkerProgramHelp =
    "a gatefold-worker for that machine, to be sent there first; then --worker is a command that "
    "runs what its last word says, such as 'ssh HOST'";

/// Asks the worker for its machine and tunes for that one: what the SPEC leaves open (target
/// `host`, dtype) is the worker's. `program`: a file to be sent; empty: it is there already.
void use_worker(const std::string& command, const std::string& program, SpecOptions& spec,
                TuneRequest& request);

}  // namespace gatefold::cli
