#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gatefold::test {

/// What a run of the program left.
struct Outcome {
  int exit_code = -1;  ///< 128 + number if a signal ended it
  std::string out, err;

  nlohmann::json json() const;  ///< stdout as exactly one JSON object; a test failure otherwise
};

struct RunOptions {
  std::vector<std::string> environment = {};  ///< "NAME=value", on top of this process's
  long file_size_limit = 0;                   ///< bytes; 0: none
  std::function<bool()> interrupt_when = {};  ///< SIGINT to the program once it is true
  std::string stdout_file = {};               ///< where stdout goes instead of into `out`
  std::string stderr_file = {};               ///< where stderr goes instead of into `err`
  std::string program = "gatefold";           ///< another one of the build folder
};

/// Runs build/gatefold (or another program) with these arguments, no shell between.
Outcome gatefold(const std::vector<std::string>& arguments, const RunOptions& options = {});

}  // namespace gatefold::test
