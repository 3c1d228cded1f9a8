#pragma once

#include <string>
#include <vector>

namespace gatefold {

/// A program that generating, tuning or building needs.
struct Tool {
  std::string name;
  std::string purpose;
  std::string path;  ///< empty: not found
  std::string get;   ///< how to get it
};

/// All of them, looked for where they are looked for when needed.
std::vector<Tool> find_tools();

}  // namespace gatefold
