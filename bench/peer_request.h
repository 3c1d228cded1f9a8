#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "bench/contender.h"

namespace gatefold {

/// The line that tells a peer what it is to compute and where weights, x and y are. The weights
/// must have been written.
nlohmann::json load_request(const Contest& contest, const std::string& x, const std::string& y);

}  // namespace gatefold
