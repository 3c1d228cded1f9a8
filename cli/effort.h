#pragma once

#include <string>

namespace gatefold::cli {

/// The number of trials that `tune --effort NAME` stands for; a usage error lists the names.
int trials_of_effort(const std::string& name);

}  // namespace gatefold::cli
