#pragma once

#include <string>
#include <vector>

#include "generator/process.h"

namespace gatefold::test {

/// How a command ends, whose program is looked for on the PATH.
inline ProcessResult result_of(std::vector<std::string> command, double timeout_s = 60) {
  command.insert(command.begin(), "/usr/bin/env");
  ProcessResult found;
  run_processes({command}, 1, {.timeout_s = timeout_s}, [&](size_t, const ProcessResult& result) {
    found = result;
    return true;
  });
  return found;
}

}  // namespace gatefold::test
