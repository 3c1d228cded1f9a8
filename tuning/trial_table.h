#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace gatefold {

/// Nothing, a whole number, a number, or text, as the database holds it.
using TrialValue = std::variant<std::monostate, int64_t, double, std::string>;

/// Every trial of a database with what its workload is, in the order of the workloads and in each
/// in the order of measuring. The columns are documented in docs/formats.md; later ones come last.
struct TrialTable {
  std::vector<std::string> columns;
  std::vector<std::vector<TrialValue>> rows;
};

/// RFC 4180 with line feeds: a heading, then one line a trial. Points in numbers are points, what
/// is not known is empty.
std::string trials_csv(const TrialTable& table);

/// {"format": "gatefold-trials", "version": 1, "trials": [{column: value, …}, …]}
std::string trials_json(const TrialTable& table);

}  // namespace gatefold
