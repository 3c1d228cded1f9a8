#pragma once

#include <string>
#include <vector>

#include "tuning/race_report.h"

namespace gatefold::cli {

/// A page that needs nothing else.
std::string report_html(const std::vector<ReportCell>& cells, const std::string& title);

}  // namespace gatefold::cli
