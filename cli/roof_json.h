#pragma once

#include "cli/output.h"
#include "tuning/roof.h"

namespace gatefold::cli {

Json roof_json(const Roof& roof);

}  // namespace gatefold::cli
